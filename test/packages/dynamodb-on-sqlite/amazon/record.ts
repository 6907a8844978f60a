/**
 * Records anew what Amazon's DynamoDB Local answers to the cases in this folder, in `answers.json`:
 *
 *     node test/packages/dynamodb-on-sqlite/amazon/record.ts <folder of its jars>
 *
 * It needs Java 17. Maven fetches the jars, given a `pom.xml` whose only dependency is
 * `software.amazon.dynamodb:DynamoDBLocal:3.3.1`: `mvn dependency:copy-dependencies
 * -DoutputDirectory=<folder>`. Amazon's licence lets the holder of an AWS account use DynamoDB Local for
 * development and tests. It may not be passed on, so the jars stay out of this repository.
 *
 * All cases use one access key: DynamoDB Local makes a database with threads of its own for each.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb"
import { listen } from "#one-machine/listen.ts"
import { type Answer, play } from "./play.ts"

const [folder] = process.argv.slice(2)
if (!folder) throw new Error("which folder holds DynamoDB Local's jars?")

const port = await aFreePort()
const main = "software.amazon.dynamodb.services.local.main.ServerRunner"
const options = ["-inMemory", "-disableTelemetry", "-port", String(port)]
const java = spawn("java", [`-Djava.library.path=${folder}`, "-cp", join(folder, "*"), main, ...options], {
  stdio: ["ignore", "ignore", "inherit"],
})
try {
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  })
  await untilItAnswers(client)
  const answers = await play(client)
  writeFileSync(join(import.meta.dirname, "answers.json"), written(answers))
  console.log(`${Object.keys(answers).length} cases recorded`)
} finally {
  java.kill()
}

/** One answer a line. */
function written(answers: Record<string, Answer[]>): string {
  const cases = Object.entries(answers).map(([name, given]) => {
    const lines = given.map((answer) => `    ${JSON.stringify(answer)}`)
    return `  ${JSON.stringify(name)}: [\n${lines.join(",\n")}\n  ]`
  })
  return `{\n${cases.join(",\n")}\n}\n`
}

async function aFreePort(): Promise<number> {
  const server = createServer()
  const free = await listen(server)
  server.close()
  await once(server, "close")
  return free
}

async function untilItAnswers(client: DynamoDBClient): Promise<void> {
  for (let tries = 0; java.exitCode === null && tries < 100; tries++)
    try {
      await client.send(new ListTablesCommand())
      return
    } catch {
      await sleep(300) // It is not there yet.
    }
  throw new Error("DynamoDB Local did not start")
}
