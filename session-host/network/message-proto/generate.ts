import { readFileSync, writeFileSync } from "node:fs"
import protobuf from "protobufjs"

/**
 * Fields of `Message` that WhatsApp Web has had since the published version, with their numbers. `types.ts`
 * has them, too.
 */
const later = { newsletterScheduledMessage: 132, acp2SettingMessage: 133, audioStickerMessage: 134 }

/** The types that are decoded here: messages as they arrive and as phones keep them, and sealed answers. */
const roots = [
  "Message",
  "WebMessageInfo",
  "HistorySyncMsg",
  "Message.PollVoteMessage",
  "Message.EventResponseMessage",
]

/**
 * The part of WhatsApp Web's protocol that messages are made of: its fields for the decoder, as JSON, made of
 * a published copy of WhatsApp Web's own definitions (`@wppconnect/wa-proto`).
 */
export function generate(): string {
  const rows = [...reachable(definitions())].map(
    (type) =>
      `  ${JSON.stringify(nameOf(type))}: ${JSON.stringify(
        type.fieldsArray.map(({ name, id, repeated, resolvedType, type: scalar }) => [
          id,
          name,
          resolvedType instanceof protobuf.Type ? nameOf(resolvedType) : resolvedType ? "int32" : scalar,
          ...(repeated ? ["repeated"] : []),
        ]),
      )}`,
  )
  return `{\n${rows.join(",\n")}\n}\n`
}

function definitions(): protobuf.Root {
  const file = import.meta.resolve("@wppconnect/wa-proto/WAProto.proto")
  const text = readFileSync(new URL(file), "utf8").replaceAll(/\brequired\b/g, "optional")
  const { root } = protobuf.parse(text, { keepCase: true })
  const message = root.lookupType("Message")
  for (const [name, id] of Object.entries(later))
    if (!message.fields[name]) message.add(new protobuf.Field(name, id, "FutureProofMessage"))
  root.resolveAll()
  return root
}

function reachable(root: protobuf.Root): Set<protobuf.Type> {
  const found = new Set<protobuf.Type>()
  const visit = (type: protobuf.Type) => {
    if (found.has(type)) return
    found.add(type)
    for (const { resolvedType } of type.fieldsArray)
      if (resolvedType instanceof protobuf.Type) visit(resolvedType)
  }
  for (const name of roots) visit(root.lookupType(name))
  return found
}

/** The name of a type, after the names of the types that it is nested in: `Message_ImageMessage`. */
function nameOf(type: protobuf.Type): string {
  return type.fullName.split(".").slice(2).join("_")
}

if (import.meta.main) writeFileSync(new URL("fields.json", import.meta.url), generate())
