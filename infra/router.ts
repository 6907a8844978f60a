import { routerSecret } from "./data/secrets.ts"
import { api } from "./functions/api.ts"
import { dashboard, dashboardStream } from "./functions/dashboard.ts"
import { stream, transfer } from "./functions/stream.ts"
import { operator } from "./stage/settings.ts"

/** AWS's own "CachingDisabled": every answer belongs to one caller. */
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
/** AWS's own "CachingOptimized": neither cookies nor queries count. */
const cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6"

/** Overwrites what the caller sent under that name. The API believes it only beside the router's secret. */
const viewerAddress = `event.request.headers["x-viewer-address"] = { value: event.viewer.ip };`

export const router = new sst.aws.Router("Router", {
  domain: operator.domain,
  // The firewall only counts how often an address asks: AWS's ready-made rules look into bodies, and people
  // write what these take for an attack.
  ...(operator.waf && {
    waf: {
      rateLimitPerIp: 2000,
      managedRules: { coreRuleSet: false, knownBadInputs: false, sqlInjection: false },
    },
  }),
  routes: {
    "/*": to(dashboard),
    // A star stands for any text, also for several parts of a path. What is not its own, this function passes
    // on to the API.
    "/api/instances/*/logs": to(stream),
    "/api/instances/*/events": to(stream),
    "/api/instances/*/webhook-test": to(transfer),
    "/api/instances/*/proxy/messages/*/media": to(transfer),
    // A whole long address book is more than a function that does not stream may answer.
    "/api/instances/*/proxy/contacts": to(transfer),
    // The dashboard serves the reference, since that shows who reads it.
    "/api/docs": to(dashboard),
    "/api/*": to(api),
    "/docs*": to(api),
    "/llms*": to(api),
    "/mcp": to(api),
    // What other gateways' callers say.
    "/evolution*": to(api),
    "/waha*": to(api),
    "/healthz": to(api),
    // Each name stands for one content, which is the same for every browser.
    "/assets/*": to(dashboard, cachingOptimized),
    "/live/*": to(dashboardStream),
    "/*/stream": to(dashboardStream),
  },
  transform: {
    waf: (args) => {
      // As the API answers: a program reads the code, whoever has refused it.
      const key = "refused"
      const content = JSON.stringify({ error: "rate limit exceeded", code: "rate_limited" })
      args.customResponseBodies = [{ key, contentType: "APPLICATION_JSON", content }]
      const block = { customResponse: { responseCode: 429, customResponseBodyKey: key } }
      args.rules = $util
        .output(args.rules)
        .apply((rules) => (rules ?? []).map((rule) => ({ ...rule, action: { block } })))
    },
    cdn: (args) => {
      args.origins = $util.output(args.origins).apply((origins) =>
        origins.map((origin) => ({
          ...origin,
          customHeaders: [{ name: "x-router-secret", value: routerSecret.current }],
          // A call may take 50 s (Contract, "Time to answer").
          customOriginConfig: { ...origin.customOriginConfig!, originReadTimeout: 60 },
        })),
      )
      args.defaultCacheBehavior = $util
        .output(args.defaultCacheBehavior)
        .apply(withPolicy("redirect-to-https"))
      args.orderedCacheBehaviors = $util
        .output(args.orderedCacheBehaviors)
        .apply((behaviors) =>
          (behaviors ?? []).map((one) =>
            withPolicy(isForPrograms(one.pathPattern) ? "https-only" : "redirect-to-https")(one),
          ),
        )
    },
  },
})

function to(fn: sst.aws.Function, cachePolicy = cachingDisabled) {
  return {
    url: fn.url,
    cachePolicy,
    edge: { viewerRequest: { injection: viewerAddress } },
  }
}

function isForPrograms(path: string): boolean {
  return /^\/(?:api\/|mcp$|evolution|waha)/.test(path)
}

/**
 * People are redirected to https. For a program that would come too late: by then it has sent its key in the
 * clear.
 */
function withPolicy(viewerProtocolPolicy: "https-only" | "redirect-to-https") {
  return <Behavior>(behavior: Behavior) => ({ ...behavior, viewerProtocolPolicy })
}
