import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  ResourceAlreadyExistsException,
} from "@aws-sdk/client-cloudwatch-logs"
import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms"
import { makeQueues } from "#test/support/sqs.ts"

/**
 * A stand-in for AWS that nobody here wrote (moto) in place of ours, at one endpoint, with the queue and the
 * keys of a stage in it. It gives keys ARNs of its own (`renamed`).
 */
export async function standInsAt(endpoint: string, keys: string[]) {
  const region = "local"
  const own = { endpoint, region, credentials: { accessKeyId: "local", secretAccessKey: "local" } }
  const { doorbellUrl } = await makeQueues(endpoint, { region })
  const kms = new KMSClient(own)
  const renamed: [ours: string, theirs: string][] = []
  for (const arn of keys) {
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({}))
    renamed.push([arn, KeyMetadata!.Arn!])
  }
  kms.destroy()
  const logs = new CloudWatchLogsClient(own)
  const there = { endpoint, close: async () => {} }
  return {
    store: there,
    queue: { ...there, doorbellUrl },
    kms: { ...there, renamed },
    logs: { ...there, close: async () => logs.destroy() },
    makeLogGroups: async (names: string[]) => {
      for (const logGroupName of names)
        await logs.send(new CreateLogGroupCommand({ logGroupName })).catch((error: unknown) => {
          if (!(error instanceof ResourceAlreadyExistsException)) throw error
        })
    },
  }
}
