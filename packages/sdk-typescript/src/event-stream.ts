import { BridgeError } from "./bridge-error.ts"
import { backOff, sleep } from "./call.ts"

/** The service sends a comment every 10 seconds: a stream that is silent for longer has broken unnoticed. */
const silentMs = 30_000

/** One message of a stream of server-sent events; without data it only says how far the stream has come. */
interface Message {
  id: string | undefined
  /** Its name; most have none. */
  name: string | undefined
  data: string | undefined
}

/** How a stream is opened: behind the message of this id, or where it begins. */
export interface Opening {
  lastId: string | undefined
  signal: AbortSignal
  isFirst: boolean
}

interface Source {
  /** @throws BridgeError */
  open: (at: Opening) => Promise<Response>
  signal?: AbortSignal | undefined
  /** Is told once, when the stream is open: whatever happens from then on is heard. */
  onOpen?: (() => void) | undefined
  /** Is told of each interruption, and how long it is until the next try. */
  onInterruption?: ((error: BridgeError, waitMs: number) => void) | undefined
}

/**
 * The messages of a stream, which is opened again behind the last one whenever it ends: none is left out, and
 * none comes twice. It ends when the signal fires.
 * @throws BridgeError if the stream cannot be opened at first, or is refused for good
 */
export async function* follow({ open, signal, onOpen, onInterruption }: Source): AsyncGenerator<Message> {
  let lastId: string | undefined
  let failures = 0
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    const stop = new AbortController()
    const signals = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    try {
      const answer = await open({ lastId, signal: signals, isFirst })
      if (isFirst) onOpen?.()
      isFirst = false
      for await (const message of messagesOf(answer)) {
        failures = 0
        if (message.data === undefined && message.id === undefined) continue
        lastId = message.id ?? lastId
        yield message
      }
      // It has ended as it should, after some minutes.
      await sleep(1000, signal)
    } catch (error) {
      if (signal?.aborted) return
      if (!(error instanceof BridgeError) || isFirst || isFinal(error)) throw error
      const waitMs = error.retryAfterMs ?? backOff(failures++) * 2
      onInterruption?.(error, waitMs)
      await sleep(waitMs, signal).catch(() => "the signal ends it")
    } finally {
      stop.abort()
    }
  }
}

/**
 * Whether asking again would get the same answer. Once a stream was open, a page of HTML is a proxy that
 * waits as well.
 */
function isFinal({ code, status }: BridgeError): boolean {
  return code !== "unexpected_answer" && status >= 400 && status < 500 && status !== 429
}

/** The messages in a body. An unfinished message at its end is dropped. */
async function* messagesOf(answer: Response): AsyncGenerator<Message> {
  let rest = ""
  for await (const text of textOf(answer)) {
    const parts = (rest + text).split("\n\n")
    rest = parts.pop()!
    for (const part of parts) yield messageIn(part)
  }
}

function messageIn(part: string): Message {
  const lines = part.split("\n")
  const valuesOf = (field: string) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ""))
  const data = valuesOf("data")
  return {
    id: valuesOf("id").at(-1),
    name: valuesOf("event").at(-1),
    data: data.length > 0 ? data.join("\n") : undefined,
  }
}

/** @throws BridgeError `no_answer` if the connection breaks, or is silent for too long */
async function* textOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await soon(reader.read())
      if (done) return
      yield decoder.decode(value, { stream: true }).replaceAll("\r", "")
    }
  } catch (cause) {
    if (cause instanceof BridgeError) throw cause
    throw new BridgeError("no_answer", "the stream broke off", { cause })
  } finally {
    // If it is broken, there is nothing to cancel.
    void reader.cancel().catch(() => "broken")
  }
}

async function soon<Result>(read: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BridgeError("no_answer", "the stream fell silent")), silentMs)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}
