# Build: docker build -t zonewright .
# It writes only to the data folder: mount a volume at /data. The rest of the file system may be read-only.
FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY cli/package.json cli/
COPY client-sdk/package.json client-sdk/
COPY web/package.json web/
COPY tests/rest-consumer/package.json tests/rest-consumer/
RUN npm ci --omit=dev --workspaces=false --include-workspace-root --ignore-scripts --no-audit --no-fund
# By itself, npm leaves out packages that are in use by a workspace too.
RUN npm pkg delete devDependencies workspaces && npm prune --package-lock-only --ignore-scripts --no-audit --no-fund && npm sbom --package-lock-only --sbom-format=cyclonedx > sbom.cdx.json

FROM node:26.10.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY cli/package.json cli/
COPY client-sdk client-sdk
COPY web web
COPY tests/rest-consumer/package.json tests/rest-consumer/
COPY server/dns server/dns
COPY server/platform server/platform
RUN npm ci --ignore-scripts --no-audit --no-fund && node web/build.ts

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.cdx.json ./
COPY package.json ./
COPY server server
COPY --from=console /app/web/dist web/dist
COPY --from=console /app/web/dist-reference web/dist-reference
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering", "server/main.ts"]
