# Built from the root of the repository: docker build -f session-host/sandbox.Dockerfile .
# Runs on the machine that builds, and installs for the one that is built for: nothing is emulated.
# The version and the digest are raised together: docs/deploy.md, "Upgrade".
FROM --platform=$BUILDPLATFORM public.ecr.aws/docker/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=dev --ignore-scripts --os=linux --libc=glibc --cpu=$(echo $TARGETARCH | sed s/amd64/x64/) \
  && rm -rf node_modules/node-linux-* node_modules/typescript node_modules/@types* \
  && find node_modules -type f -regex '.*\.\([cm]?ts\|map\|md\)' ! -iname '*licen[cs]e*' -delete

# Makes voice notes, GIFs and first pictures of videos (docs/contract.md, "Sent files").
FROM --platform=$BUILDPLATFORM public.ecr.aws/docker/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS ffmpeg
ARG TARGETARCH
COPY session-host/media/build-ffmpeg /
RUN /build-ffmpeg $TARGETARCH /ffmpeg

# Only copies: a RUN here would need an emulated processor.
FROM public.ecr.aws/docker/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
WORKDIR /app
COPY --from=ffmpeg /ffmpeg /usr/local/bin/
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY contract contract
COPY core core
COPY session-host session-host
COPY packages/whatsapp-simulator packages/whatsapp-simulator
VOLUME /tmp
USER node
CMD ["node", "session-host/sandbox-main.ts"]
