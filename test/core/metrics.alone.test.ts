import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { Metrics } from "#core/platform/metrics.ts"

const folder = mkdtempSync(join(tmpdir(), "metrics-"))
const file = join(folder, "log")
Object.assign(process.env, { LOG_FILE: file, METRICS_SERVICE: "api", STAGE: "production" })
afterAll(() => rmSync(folder, { recursive: true }))

/** The embedded metric format, as CloudWatch documents it. */
const Emf = z.looseObject({
  _aws: z.object({
    Timestamp: z.number().int(),
    CloudWatchMetrics: z.tuple([
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string()).max(30)).min(1),
        Metrics: z
          .array(z.object({ Name: z.string(), Unit: z.enum(["Count", "Milliseconds", "Megabytes", "None"]) }))
          .max(100),
      }),
    ]),
  }),
})

let read = 0
function written() {
  Metrics.flush()
  const all = readFileSync(file, "utf8")
  const lines = all.slice(read).trim().split("\n")
  read = all.length
  return lines.filter((line) => line !== "").map((line) => Emf.parse(JSON.parse(line)))
}

test("measurements are one line, with service and stage as its dimensions", () => {
  Metrics.add("RateLimited")
  Metrics.add("RateLimited", 2)
  Metrics.add("CommitMs", 7)
  Metrics.add("CommitMs", 9)
  const [line, ...others] = written()
  expect(others).toEqual([])
  expect(line).toMatchObject({ service: "api", stage: "production", RateLimited: [3], CommitMs: [7, 9] })
  expect(line!._aws.CloudWatchMetrics).toEqual([
    {
      Namespace: "MessagingBridge",
      Dimensions: [["service", "stage"]],
      Metrics: [
        { Name: "RateLimited", Unit: "Count" },
        { Name: "CommitMs", Unit: "Milliseconds" },
      ],
    },
  ])
})

test("by a dimension it counts with it and without it", () => {
  Metrics.add("Attempts", 1, { outcome: "retry" })
  Metrics.add("Attempts", 1, { outcome: "delivered" })
  const lines = written()
  expect(lines.map((line) => line.outcome)).toEqual(["retry", "delivered"])
  for (const line of lines)
    expect(line._aws.CloudWatchMetrics[0].Dimensions).toEqual([
      ["service", "stage"],
      ["service", "stage", "outcome"],
    ])
})

test("no line holds more values than CloudWatch takes, and none is lost", () => {
  for (let i = 0; i < 250; i++) Metrics.add("SendAckMs", i)
  const values = written().map((line) => z.array(z.number()).max(100).parse(line.SendAckMs))
  expect(values.flat()).toEqual(Array.from({ length: 250 }, (_, i) => i))
})

test("where nothing was measured nothing is written", () => {
  expect(written()).toEqual([])
})
