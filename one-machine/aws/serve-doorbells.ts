import { createHash } from "node:crypto"
import { z } from "zod"
import type { DoorbellQueue } from "#core/event/doorbell.ts"
import { startAwsJson } from "#dynamodb-on-sqlite/aws-json-server.ts"
import type { At } from "#dynamodb-on-sqlite/listen.ts"

const Send = z.object({ MessageGroupId: z.string(), MessageBody: z.string() })
const Hide = z.object({ ReceiptHandle: z.string(), VisibilityTimeout: z.number() })

/**
 * SQS on one machine, for processes other than the one that answers doorbells: they ring, and wake a doorbell
 * that rests.
 */
export async function serveDoorbells(doorbells: DoorbellQueue, at: At) {
  const server = await startAwsJson({
    at,
    invalid: "com.amazonaws.sqs#InvalidParameterValueException",
    actions: {
      SendMessage: async (call) => {
        const { MessageGroupId: group, MessageBody: body } = Send.parse(call)
        await doorbells.send({ group, body })
        return { MessageId: group, MD5OfMessageBody: createHash("md5").update(body).digest("hex") }
      },
      ChangeMessageVisibility: async (call) => {
        const { ReceiptHandle, VisibilityTimeout } = Hide.parse(call)
        await doorbells.hide(ReceiptHandle, VisibilityTimeout)
        return {}
      },
    },
  })
  return { ...server, doorbellUrl: `${server.endpoint}/Doorbell.fifo` }
}
