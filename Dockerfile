# One image for each process. PACKAGE says which: gateway, services/key-derivation, services/leases, services/auth,
# services/content, services/playback, edge, single-node or cli.
#
#   docker build --build-arg PACKAGE=gateway -t latchkey.invalid/gateway .
#
# docs/operate/release.md explains how to publish images that a second build reproduces. NODE_IMAGE then names the base image by its digest. The
# default is the tag, because a digest written here would keep the base without its security updates.
#
# Node strips types from the code that it runs, except under node_modules. So the packages of the workspace are next to that folder.

ARG NODE_IMAGE=node:24-bookworm-slim

# Every package that any image needs, as the lock file names it: fetched once, whatever the number of images.
FROM ${NODE_IMAGE} AS store
WORKDIR /fetch
RUN npm install --global pnpm@12.21.0
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch --prod

# The dashboard, built once as well. Its files go into two images; what they are built with, into none.
FROM store AS dashboard
WORKDIR /build
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml tsconfig.json ./
COPY admin/package.json admin/
RUN CI=true pnpm install --frozen-lockfile --filter @latchkey/admin
COPY admin admin
RUN pnpm --dir admin run build

FROM ${NODE_IMAGE} AS workspace
ARG PACKAGE
WORKDIR /workspace
COPY . .
COPY --from=dashboard /build/admin/dist admin/dist
RUN node tools/image/lay-out.ts "$PACKAGE" /image

FROM store AS installation
WORKDIR /app
# The manifests alone, so that this is done again only when one of them has changed.
COPY --from=workspace /image/manifests ./
RUN CI=true pnpm install --prod --frozen-lockfile --offline
COPY tools/image/prune.ts /tmp/prune.mts
RUN node /tmp/prune.mts /app
# A new volume takes its owner from the folder that it is mounted over.
RUN mkdir /data && chown 1000:1000 /data

FROM ${NODE_IMAGE}
WORKDIR /app
# Owned by root and written by nobody: the process runs as `node`, on a root file system that may be read-only.
COPY --from=installation /app ./
COPY --from=workspace /image/code ./
COPY --from=installation --chown=1000:1000 /data /data
# Where there is no DATABASE_URL: on the one volume.
ENV SQLITE_PATH=/data/latchkey.db
ARG PACKAGE
# Labels that are known before the build. A published build adds revision, source and creation time: docs/operate/release.md.
LABEL org.opencontainers.image.title="latchkey ${PACKAGE}" \
  org.opencontainers.image.description="A self-hosted key server for AES-128 encrypted HLS video" \
  org.opencontainers.image.version="0.3.0" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
USER 1000:1000
# The process is PID 1 and hears this itself: it serves on, not ready, and closes in order.
STOPSIGNAL SIGTERM
# /health reports that the process runs, and nothing about its neighbors: a database that is down must not restart this process.
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 CMD ["bash", "/app/healthcheck.sh"]
ENTRYPOINT ["node", "/app/main.ts"]
