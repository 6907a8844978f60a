import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type PretendChatwoot, startPretendChatwoot } from "#chatwoot/pretend/start.ts"
import { apiClient, Unexpected } from "../api-client.ts"
import { listen, stopListening } from "../listen.ts"
import { networkClient } from "../network/client.ts"
import { link, untilConnected } from "../network/link.ts"
import { sessionHostPids } from "../service/session-host-pids.ts"
import type { SpawnedService } from "../service/spawn-service.ts"
import type { Told } from "./bridge-with-webhook.ts"

const program = fileURLToPath(new URL("../../packages/chatwoot/src/main.ts", import.meta.url))

/** Messages of a person and answers of an agent go both ways, though our processes die meanwhile. */
export async function chatwootStory(
  service: SpawnedService,
  { apiKey, step, signal }: Pick<Told, "apiKey" | "step" | "signal">,
): Promise<void> {
  const api = apiClient(service.baseUrl, apiKey)
  await api("POST", "/instances", { customer_ref: "demo" })
  const network = networkClient({ controlUrl: service.phonesUrl })
  const [olga, carl] = [await network.create("Olga"), await network.create("Carl")]
  await link("demo", { api, scan: (png) => network.scan(olga.number, png), signal })
  step("a phone is linked")

  const chatwoot = await startPretendChatwoot()
  const begin = await programFor(service, { apiKey, chatwoot, signal })
  const first = await begin()
  let { child } = first
  const kill = async () => {
    const ended = once(child, "exit")
    if (child.kill("SIGKILL")) await ended
  }
  try {
    step(`the program began: ${first.line}`)
    const { messages } = chatwoot.world
    const here = async (content: string) => {
      while (messages.every((one) => one.content !== content)) await pause(signal)
      return messages.find((one) => one.content === content)!.conversation_id
    }
    await network.send(carl.number, olga.number, "Are you open?")
    const conversation = await here("Are you open?")
    chatwoot.write(conversation, "Until six.")
    await network.read(carl.number, { text: "Until six.", wait: 20_000 })
    step("Carl's question is at Chatwoot, in a conversation of its own, and he has the agent's answer")

    await kill()
    await network.send(carl.number, olga.number, "And tomorrow?")
    chatwoot.write(conversation, "Tomorrow, too.")
    for (const pid of await sessionHostPids(service)) process.kill(pid, "SIGKILL")
    ;({ child } = await begin())
    await untilConnected("demo", { api, signal })
    await here("And tomorrow?")
    await network.read(carl.number, { text: "Tomorrow, too.", wait: 20_000 })
    step("program and session host were killed, and both sides have what was written meanwhile")

    const told = messages.filter(({ message_type }) => message_type === 0).map(({ content }) => content)
    const read = (await network.readAll(carl.number))
      .filter(({ from }) => from === olga.number)
      .map(({ text }) => text)
    const seen = JSON.stringify([told, read])
    if (seen !== '[["Are you open?","And tomorrow?"],["Until six.","Tomorrow, too."]]')
      throw new Unexpected(seen)
    step("each is there once, in order")
  } finally {
    await kill()
    await chatwoot.close()
  }
}

/** @returns what starts the program, and resolves with it and its first line */
async function programFor(
  service: SpawnedService,
  { apiKey, chatwoot, signal }: Pick<Told, "apiKey" | "signal"> & { chatwoot: PretendChatwoot },
) {
  const port = await freePort()
  const env = {
    CHATWOOT_URL: chatwoot.url,
    CHATWOOT_TOKEN: chatwoot.token,
    BRIDGE_URL: service.baseUrl,
    BRIDGE_KEY: apiKey,
    BRIDGES: "demo",
    HOOK_URL: `http://127.0.0.1:${port}`,
    PORT: `${port}`,
    NOTES: join(service.dataDir, "chatwoot.db"),
  }
  return async () => {
    const child = spawn(process.execPath, [program], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    })
    const [line] = (await once(createInterface({ input: child.stdout }), "line", { signal })) as [string]
    return { child, line }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await stopListening(server)
  return port
}

async function pause(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await sleep(50)
}
