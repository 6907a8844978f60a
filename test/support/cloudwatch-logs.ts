import { z } from "zod"
import { AwsRefusal, startAwsJson } from "#dynamodb-on-sqlite/aws-json-server.ts"

const Asked = z.object({
  logGroupName: z.string(),
  logStreamName: z.string(),
  logEvents: z.array(z.object({ timestamp: z.number(), message: z.string() })).default([]),
  startFromHead: z.boolean().default(false),
  limit: z.number().int().min(1).max(10_000).default(10_000),
  nextToken: z.string().optional(),
  startTime: z.number().optional(),
})
type Asked = z.infer<typeof Asked>
interface Line {
  timestamp: number
  message: string
}

/**
 * Lines per page when no limit is given: far less than CloudWatch's 1 MB, so that more than one page is
 * needed.
 */
const pageLines = 400

/**
 * CloudWatch Logs over its JSON 1.1 protocol: streams, PutLogEvents, and GetLogEvents with its tokens. A
 * token names a place in a stream and may be used again. `refuse` makes the next requests fail with that
 * error.
 */
export async function startCloudWatchLogs() {
  const streams = new Map<string, Line[]>()
  const asked: string[] = []
  const refusals: string[] = []

  function streamOf({ logGroupName, logStreamName }: Asked): Line[] {
    const found = streams.get(`${logGroupName}/${logStreamName}`)
    if (!found) throw new AwsRefusal("ResourceNotFoundException")
    return found
  }

  const actions: Record<string, (input: Asked) => object> = {
    CreateLogStream: ({ logGroupName, logStreamName }) => {
      const name = `${logGroupName}/${logStreamName}`
      if (streams.has(name)) throw new AwsRefusal("ResourceAlreadyExistsException")
      streams.set(name, [])
      return {}
    },
    DeleteLogStream: (input) => {
      streamOf(input)
      streams.delete(`${input.logGroupName}/${input.logStreamName}`)
      return {}
    },
    PutLogEvents: (input) => {
      const inOrder = input.logEvents.every(
        ({ timestamp }, i, all) => timestamp >= (all[i - 1]?.timestamp ?? 0),
      )
      if (!inOrder || input.logEvents.length === 0) throw new AwsRefusal("InvalidParameterException")
      streamOf(input).push(...input.logEvents)
      return { nextSequenceToken: "1" }
    },
    GetLogEvents: (input) => {
      const lines = streamOf(input)
      const first = lines.findIndex(({ timestamp }) => timestamp >= (input.startTime ?? 0))
      const limit = Math.min(input.limit, pageLines)
      const [direction, place] = input.nextToken?.split("/") ?? []
      const isForward = direction ? direction === "f" : input.startFromHead
      const at = place === undefined ? (isForward && first >= 0 ? first : lines.length) : Number(place)
      const [from, to] = isForward ? [at, Math.min(lines.length, at + limit)] : [Math.max(0, at - limit), at]
      return { events: lines.slice(from, to), nextForwardToken: `f/${to}`, nextBackwardToken: `b/${from}` }
    },
  }

  const server = await startAwsJson({
    at: { port: 0 },
    invalid: "InvalidParameterException",
    actions: Object.fromEntries(
      Object.entries(actions).map(([name, action]) => [name, (call: unknown) => action(Asked.parse(call))]),
    ),
    before(action) {
      asked.push(action)
      const refusal = refusals.shift()
      if (refusal) throw new AwsRefusal(refusal)
      return undefined
    },
  })
  return {
    endpoint: server.endpoint,
    /** Every line of a stream. */
    lines: (group: string, stream: string) =>
      (streams.get(`${group}/${stream}`) ?? []).map(({ message }) => message),
    has: (group: string, stream: string) => streams.has(`${group}/${stream}`),
    asked,
    refuse: (...types: string[]) => void refusals.push(...types),
    close: server.close,
  }
}
