import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { config, configure } from "#core/platform/config.ts"
import { Metrics } from "#core/platform/metrics.ts"

const folder = mkdtempSync(join(tmpdir(), "metrics-"))
const file = join(folder, "log")
configure({ LOG_FILE: file, METRICS_SERVICE: "api", STAGE: "production" })
afterAll(() => rmSync(folder, { recursive: true }))

/** The embedded metric format, as CloudWatch documents it. */
const Emf = z.looseObject({
  _aws: z
    .object({
      Timestamp: z.number().int(),
      CloudWatchMetrics: z.tuple([
        z.object({
          Namespace: z.string(),
          Dimensions: z.array(z.array(z.string()).max(30)).min(1),
          Metrics: z
            .array(
              z.object({ Name: z.string(), Unit: z.enum(["Count", "Milliseconds", "Megabytes", "None"]) }),
            )
            .max(100),
        }),
      ]),
    })
    .optional(),
})

let read = 0
function written() {
  Metrics.flush()
  const all = readFileSync(file, "utf8")
  const lines = all.slice(read).trim().split("\n")
  read = all.length
  return lines.filter((line) => line !== "").map((line) => Emf.parse(JSON.parse(line)))
}

test("measurements are one line, with the stage as its dimension, and the service beside it", () => {
  Metrics.add("Replaced")
  Metrics.add("Replaced", 2)
  Metrics.add("SendAckMs", 7)
  Metrics.add("SendAckMs", 9)
  const [line, ...others] = written()
  expect(others).toEqual([])
  expect(line).toMatchObject({ service: "api", stage: "production", Replaced: [3], SendAckMs: [7, 9] })
  expect(line!._aws!.CloudWatchMetrics).toEqual([
    {
      Namespace: "MessagingBridge",
      Dimensions: [["stage"]],
      Metrics: [
        { Name: "Replaced", Unit: "Count" },
        { Name: "SendAckMs", Unit: "Milliseconds" },
      ],
    },
  ])
})

test("a count that no alarm or dashboard watches is a field of the line, and no metric", () => {
  Metrics.add("IdemReplay")
  Metrics.add("Sends")
  const [line] = written()
  expect(line).toMatchObject({ IdemReplay: [1], Sends: [1] })
  expect(line!._aws!.CloudWatchMetrics[0].Metrics).toEqual([{ Name: "Sends", Unit: "Count" }])
  Metrics.add("IdemReplay", 2)
  expect(written()).toEqual([{ service: "api", stage: "production", IdemReplay: [2] }])
})

test("a session host's line says which host it is from, beside its dimension", () => {
  config.HOST_ID = "host-1"
  Metrics.add("Sends")
  const [line] = written()
  config.HOST_ID = undefined
  expect(line).toMatchObject({ hostId: "host-1", Sends: [1] })
  expect(line!._aws!.CloudWatchMetrics[0].Dimensions).toEqual([["stage"]])
})

test("no line holds more values than CloudWatch takes, and none is lost", () => {
  for (let i = 0; i < 250; i++) Metrics.add("SendAckMs", i)
  const values = written().map((line) => z.array(z.number()).max(100).parse(line.SendAckMs))
  expect(values.flat()).toEqual(Array.from({ length: 250 }, (_, i) => i))
})

test("where nothing was measured nothing is written", () => {
  expect(written()).toEqual([])
})
