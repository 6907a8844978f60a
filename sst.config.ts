/// <reference path="./.sst/platform/config.d.ts" />

/** The service on AWS. Stages: `production`, `staging`, and any other name for somebody's own. */
export default $config({
  app: async ({ stage }) => {
    const { readSettings } = await import("./infra/stage/settings-file.ts")
    if (stage) readSettings(stage)
    return {
      name: "messaging-bridge",
      home: "aws",
      // Another version of the tool is refused: this one is what `npm run infra:check` has tested.
      version: "4.17.1",
      // The region by name: the tool itself does not see what the stage's file adds to the environment.
      providers: { aws: { version: "7.20.0", region: process.env.AWS_REGION }, random: "4.16.6" },
      removal: stage === "production" || stage === "staging" ? "retain" : "remove",
      protect: stage === "production",
    }
  },
  async run() {
    const { readSettings, refuseAdminShell, refuseBeforeAll, refuseEnvFiles } =
      await import("./infra/stage/settings-file.ts")
    readSettings($app.stage)
    // Not above: of an error there SST shows no sentence.
    refuseBeforeAll($app.stage, { isDev: $dev })
    refuseEnvFiles($app.stage)
    refuseAdminShell()
    const { checkRegion } = await import("./infra/stage/check-region.ts")
    await checkRegion()
    const { compareWithLastDeploy } = await import("./infra/stage/last-deploy.ts")
    await compareWithLastDeploy()
    await import("./infra/network/endpoints.ts")
    await import("./infra/hosts/sandbox.ts")
    await import("./infra/watch/alarms.ts")
    await import("./infra/watch/doorbell-old.ts")
    await import("./infra/watch/budget.ts")
    await import("./infra/watch/charts.ts")
    await import("./infra/admin.ts")
    const { router } = await import("./infra/router.ts")
    return { url: router.url }
  },
})
