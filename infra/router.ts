import { api } from "./api.ts"
import { routerSecret } from "./secrets.ts"
import { operator } from "./stage.ts"

/** AWS's own "CachingDisabled": every answer is somebody's. */
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"

/** Overwrites what the caller sent under that name. The API believes it only beside the router's secret. */
const viewerAddress = `event.request.headers["x-viewer-address"] = { value: event.viewer.ip };`

export const router = new sst.aws.Router("Router", {
  domain: operator.domain,
  routes: {
    "/*": {
      url: api.url,
      cachePolicy: cachingDisabled,
      edge: { viewerRequest: { injection: viewerAddress } },
    },
  },
  transform: {
    cdn: (args) => {
      args.origins = $util.output(args.origins).apply((origins) =>
        origins.map((origin) => ({
          ...origin,
          customHeaders: [{ name: "x-router-secret", value: routerSecret }],
          // A call may take 50 s (decisions, "Errors"); more than 60 is a quota to ask for.
          customOriginConfig: { ...origin.customOriginConfig!, originReadTimeout: 60 },
        })),
      )
      // A redirect would come too late: the key has been sent in the clear.
      args.defaultCacheBehavior = $util
        .output(args.defaultCacheBehavior)
        .apply((behavior) => ({ ...behavior, viewerProtocolPolicy: "https-only" }))
    },
  },
})
