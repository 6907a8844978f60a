import { createServer, request as ask } from "node:http"
import { listen, stopListening } from "#one-machine/listen.ts"
import type { Judge } from "../judge.ts"
import { runPython } from "../python.ts"
import { aboutOf } from "./about.ts"
import { mcp } from "./mcp.ts"
import { n8n } from "./n8n.ts"

function inPython(name: string, packages: string[], ref: string): Judge {
  return {
    name,
    run: async (stage) => {
      const about = await aboutOf(stage, ref)
      const root = await atRoot(about.url)
      try {
        const script = new URL(`./calls_of_${ref}.py`, import.meta.url)
        return await runPython(stage, { packages, script, about: { ...about, root: root.url } })
      } finally {
        await root.stop()
      }
    },
  }
}

/** The dialect at the root of a host, as a proxy of one's own serves it to a client that drops a path. */
async function atRoot(url: string) {
  const server = createServer((theirs, answer) => {
    const { method, headers } = theirs
    const ours = ask(`${url}${theirs.url}`, { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(answer)
    })
    ours.on("error", () => answer.destroy())
    theirs.pipe(ours)
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}`, stop: () => stopListening(server) }
}

export const evolutionJudges: Judge[] = [
  n8n,
  mcp,
  inPython("pyevolutionapi 0.1.1", ["pyevolutionapi==0.1.1"], "pyevolutionapi"),
  inPython("evolutionapi 0.1.2", ["evolutionapi==0.1.2"], "evolutionapi"),
]
