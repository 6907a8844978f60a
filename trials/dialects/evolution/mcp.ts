import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { Judge, Made } from "../judge.ts"
import { homeOf } from "../python.ts"
import { aboutOf } from "./about.ts"

const packages = ["evolution-api-mcp==1.0.0"]

/** A tool, what it is given, and what its answer has to say. */
type Step = [tool: string, given: object, says?: RegExp]

/** `$friend` and its like are what is known only once the stage is set, or an earlier call was made. */
const steps: Step[] = [
  ["get_instance_status", {}, /"state":\s*"open"/],
  ["start_pairing", {}, /nothing to pair/],
  ["restart_instance", {}, /"state":\s*"open"/],
  ["set_presence", { presence: "available" }, /available/],
  ["get_instance_settings", {}],
  ["update_instance_settings", { ignore_groups: false }],
  ["set_proxy", { enabled: false }],
  ["get_proxy", {}],
  ["set_webhook", { enabled: true, url: "$files/hook", events: ["MESSAGES_UPSERT"] }],
  ["get_webhook", {}, /hook/],
  ["find_chats", { query: "$friend" }],
  ["check_whatsapp_numbers", { numbers: ["$friend"] }, /true/],
  ["get_contact_profile", { chat: "$friend" }],
  ["get_business_profile", { chat: "$friend" }],
  ["block_contact", { chat: "$friend" }],
  ["unblock_contact", { chat: "$friend" }],
  ["get_my_profile", {}],
  ["update_profile_about", { about: "Open" }],
  ["update_profile_picture", { image_url: "$files/picture.jpg" }],
  ["remove_profile_picture", {}],
  ["post_status", { type: "text", content: "Open" }],
  ["list_chats", {}, /@s\.whatsapp\.net/],
  ["list_recent_messages", {}, /Hello from a friend/],
  ["get_chat", { chat: "$friend" }, /@s\.whatsapp\.net/],
  ["read_messages", { chat: "$friend" }, /Hello from a friend/],
  ["search_messages", { query: "Hello", chat: "$friend" }, /Hello from a friend/],
  ["get_message", { message_id: "$text", chat: "$friend" }, /Hello from a friend/],
  ["get_message_status", { message_id: "$text", chat: "$friend" }],
  ["view_message_image", { message_id: "$picture", chat: "$friend" }],
  ["download_message_media", { message_id: "$picture", chat: "$friend" }],
  ["export_chat", { chat: "$friend", content: "transcript" }],
  ["mark_chat_read", { chat: "$friend" }],
  ["mark_chat_unread", { chat: "$friend" }],
  ["set_chat_archived", { chat: "$friend", archived: true }],
  ["send_text_message", { chat: "$friend", text: "Hello", reply_to_message_id: "$text" }, /message_id/],
  [
    "send_media_message",
    { chat: "$friend", media_url: "$files/picture.jpg", media_type: "image", caption: "Look" },
    /message_id/,
  ],
  ["send_local_files", { chat: "$friend", paths: ["$folder/picture.jpg"] }, /message_id/],
  ["send_voice_note", { chat: "$friend", audio_url: "$files/sound.ogg" }, /message_id/],
  ["send_video_note", { chat: "$friend", video_url: "$files/film.mp4" }, /message_id/],
  ["send_sticker", { chat: "$friend", sticker_url: "$files/picture.jpg" }, /message_id/],
  [
    "send_location",
    { chat: "$friend", latitude: 52.5, longitude: 13.4, name: "Mill", address: "Mill Lane 1" },
    /message_id/,
  ],
  [
    "send_contact_card",
    { chat: "$friend", contacts: [{ full_name: "Ada", phone_number: "$friend" }] },
    /message_id/,
  ],
  ["send_poll", { chat: "$friend", question: "When?", options: ["now", "later"] }, /message_id/],
  ["forward_message", { message_id: "$text", to: ["$friend"] }],
  ["send_chat_presence", { chat: "$friend", presence: "composing" }],
  ["react_to_message", { message_id: "$text", emoji: "👍", chat: "$friend" }],
  ["edit_message", { message_id: "$sent", new_text: "Hello again", chat: "$friend" }],
  ["delete_message_for_everyone", { message_id: "$sent", chat: "$friend" }],
  ["create_group", { subject: "Regulars", participants: ["$friend"], description: "All" }, /@g\.us/],
  ["list_groups", {}, /Regulars/],
  ["get_group", { group: "$group" }, /Regulars/],
  ["update_group_subject", { group: "$group", subject: "Friends" }],
  ["update_group_description", { group: "$group", description: "Those who come" }],
  ["update_group_picture", { group: "$group", image_url: "$files/picture.jpg" }],
  ["update_group_settings", { group: "$group", only_admins_send: true }],
  ["set_disappearing_messages", { group: "$group", duration: "24h" }],
  ["update_group_admins", { group: "$group", participants: ["$friend"], action: "promote" }],
  ["remove_group_participants", { group: "$group", participants: ["$friend"] }],
  ["add_group_participants", { group: "$group", participants: ["$friend"] }],
  ["get_group_invite_link", { group: "$group" }, /chat\.whatsapp\.com/],
  ["send_group_invite", { group: "$group", numbers: ["$friend"], message: "Come" }],
  ["revoke_group_invite_link", { group: "$group" }],
  ["get_invite_info", { invite: "$invite" }, /Neighbours/],
  ["join_group_by_invite", { invite: "$invite" }],
  ["leave_group", { group: "$group" }],
  ["logout_instance", {}],
]

/** An agent's server for Evolution: each of its tools that this service has the calls for. */
export const mcp: Judge = {
  name: "evolution-api-mcp 1.0.0",
  run: async (stage) => {
    const home = await homeOf(stage, packages)
    if (home === undefined) return undefined
    const about = await aboutOf(stage, "mcp")
    await writeFile(join(about.folder, "picture.jpg"), stage.files.picture)
    const neighbours = { creator: about.friend, subject: "Neighbours" }
    const { invite } = await stage.service.network.group(neighbours)
    const client = new Client({ name: "judge", version: "1" })
    const transport = new StdioClientTransport({
      command: join(home, "bin/evolution-api-mcp"),
      env: {
        HOME: about.folder,
        EVOLUTION_API_URL: about.url,
        EVOLUTION_INSTANCE_TOKEN: about.token,
        EVOLUTION_MCP_TOOLSETS: "all",
        EVOLUTION_MCP_DENY: "get_event_channel",
        EVOLUTION_MCP_ALLOW_IRREVERSIBLE: "yes",
        EVOLUTION_MCP_DEFAULT_DELAY_MS: "0",
        EVOLUTION_MCP_MAX_WRITES_PER_MINUTE: "0",
        EVOLUTION_MCP_FILE_ROOTS: about.folder,
      },
    })
    await client.connect(transport)
    try {
      const made: Made[] = []
      const known: Record<string, string> = { ...about, invite }
      for (const step of steps) made.push(await outcomeOf(client, step, known))
      return made
    } finally {
      await client.close()
    }
  },
}

/** Makes the call. What is known grows by the message that was sent, and the group that was made. */
async function outcomeOf(
  client: Client,
  [tool, given, says]: Step,
  known: Record<string, string>,
): Promise<Made> {
  const text = JSON.stringify(given).replaceAll(/\$([a-z]+)/g, (name, key: string) => known[key] ?? name)
  try {
    const answer = await client.callTool(
      { name: tool, arguments: JSON.parse(text) as Record<string, unknown> },
      { timeout: 120_000 },
    )
    const said = JSON.stringify(answer.content).replaceAll(String.raw`\"`, '"')
    if (tool === "send_text_message") known.sent = /"message_id":\s*"([^"]+)"/.exec(said)?.[1] ?? ""
    if (tool === "create_group") known.group = /\d+@g\.us/.exec(said)?.[0] ?? ""
    if (!answer.isError && (says?.test(said) ?? true)) return { call: tool }
    return { call: tool, why: said.slice(0, 300) }
  } catch (error) {
    return { call: tool, why: String(error).slice(0, 300) }
  }
}
