import { installSst, run } from "../install-sst.ts"

/**
 * `npm run infra:rehearse`: a stage's first hour, acted out on one machine: what `infra/` asks of AWS, with
 * the real bundles, a production installation of the session host, and each of their calls held against the
 * policy of its role.
 */
installSst()
run("npx", ["--no", "--", "vitest", "run", "--config", "test/infra/rehearsal/vitest.config.ts"], 1800)
console.log("rehearsal: ok")
