import { useMemo } from "react";
import { encode } from "uqr";
import styles from "./secrets.module.css";

/** A QR code, as one path of squares. In a chunk of its own, with its library. */
export function QrCode({ content, label }: { content: string; label: string }) {
  const { size, path } = useMemo(() => {
    // ISO/IEC 18004 §9.1 wants four light modules around it.
    const { data, size } = encode(content, { ecc: "M", border: 4 });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size, path: squares.join("") };
  }, [content]);
  return (
    <svg
      className={styles["qr"]}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
