import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { Metrics } from "#core/platform/metrics.ts"
import { Measurements } from "#one-machine/serve/measurements.ts"

/** Everything that /metrics has, by name. */
async function served(): Promise<Set<string>> {
  const measurements = new Measurements()
  measurements.show({ backup_age_s: 0, backup_failed: 0, disk_free_mb: 0 }, new Map([["Unkept", true]]))
  measurements.add(Object.fromEntries(Metrics.names.map((name) => [name, [1]])))
  const { text } = await measurements.expose()
  return new Set([...text.matchAll(/^(bridge_\w+)/gm)].map(([, name]) => name!))
}

test.for(["grafana.json", "prometheus-rules.yaml"])(
  "%s asks for nothing that is not served",
  async (file) => {
    const text = readFileSync(`one-machine/${file}`, "utf8")
    const asked = [...text.matchAll(/\bbridge_\w+/g)].map(([name]) => name)
    const names = await served()
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((name) => !names.has(name))).toEqual([])
  },
)

test("Prometheus is led to the rules, whose job has the name that it is asked for", () => {
  const config = parse(readFileSync("one-machine/prometheus.yaml", "utf8")) as {
    scrape_configs: { job_name: string }[]
    rule_files: string[]
  }
  const [rules] = config.rule_files
  expect(readFileSync(`one-machine/${rules}`, "utf8")).toContain(
    `up{job="${config.scrape_configs[0]!.job_name}"}`,
  )
})

test("promtool finds nothing wrong with the files, where it is installed", () => {
  for (const args of [
    ["check", "config", "--syntax-only", "one-machine/prometheus.yaml"],
    ["check", "rules", "one-machine/prometheus-rules.yaml"],
  ]) {
    const { error, status, stderr } = spawnSync("promtool", args, { encoding: "utf8" })
    if (error) return
    expect(stderr).toBe("")
    expect(status).toBe(0)
  }
})
