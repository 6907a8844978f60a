import { installSst, run } from "./install-sst.ts"

/**
 * `npm run infra:check`: what can be known of the deployment without an account, with npm alone. Against
 * SST's own components `infra/` is type-checked and evaluated.
 */
installSst()
run("npx", ["--no", "--", "tsc", "--project", "infra"], 120)
run("npx", ["--no", "--", "vitest", "run", "--config", "test/infra/vitest.config.ts"], 900)
