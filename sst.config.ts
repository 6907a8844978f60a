/// <reference path="./.sst/platform/config.d.ts" />

/** The service on AWS. Stages: `production`, `staging`, and any other name for somebody's own. */
export default $config({
  app: ({ stage }) => ({
    name: "messaging-bridge",
    home: "aws",
    // Another version of the tool is refused: this one is what `npm run infra:check` has tested.
    version: "4.17.1",
    providers: { aws: "7.20.0", random: "4.16.6" },
    removal: stage === "production" || stage === "staging" ? "retain" : "remove",
    protect: stage === "production",
  }),
  async run() {
    const { compareWithLastDeploy } = await import("./infra/last-deploy.ts")
    await compareWithLastDeploy()
    await import("./infra/admin.ts")
    await import("./infra/alarms.ts")
    await import("./infra/dashboard.ts")
    await import("./infra/sandbox.ts")
    const { router } = await import("./infra/router.ts")
    return { url: router.url }
  },
})
