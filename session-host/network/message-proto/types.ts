import type { waproto } from "@wppconnect/wa-proto"
import type Long from "long"

declare module "@wppconnect/wa-proto" {
  namespace waproto.Message {
    /** Fields that WhatsApp Web has had since the published version (`generate.ts` has their numbers). */
    interface $Properties {
      newsletterScheduledMessage?: FutureProofMessage.$Properties | null
      acp2SettingMessage?: FutureProofMessage.$Properties | null
      audioStickerMessage?: FutureProofMessage.$Properties | null
    }
  }
}

/**
 * What is decoded: a stranger may leave out what the package calls required, and send numbers that its enums
 * lack.
 */
type Decoded<Part> = Part extends Uint8Array | Long
  ? Part
  : Part extends (infer Item)[]
    ? Decoded<Item>[]
    : Part extends object
      ? { [Name in keyof Part]?: Decoded<Part[Name]> | null }
      : Part extends number
        ? number
        : Part

export type AIRichResponseSubMessage = Decoded<waproto.AIRichResponseSubMessage.$Properties>
export type ContextInfo = Decoded<waproto.ContextInfo.$Properties>
export type HistorySyncMsg = Decoded<waproto.HistorySyncMsg.$Properties>
export type HydratedTemplateButton = Decoded<waproto.HydratedTemplateButton.$Properties>
export type Message = Decoded<waproto.Message.$Properties>
export type Message_EventMessage = Decoded<waproto.Message.EventMessage.$Properties>
export type Message_EventResponseMessage = Decoded<waproto.Message.EventResponseMessage.$Properties>
export type Message_ExtendedTextMessage = Decoded<waproto.Message.ExtendedTextMessage.$Properties>
export type Message_InteractiveMessage = Decoded<waproto.Message.InteractiveMessage.$Properties>
export type Message_InteractiveMessage_NativeFlowMessage_NativeFlowButton =
  Decoded<waproto.Message.InteractiveMessage.NativeFlowMessage.NativeFlowButton.$Properties>
export type Message_LiveLocationMessage = Decoded<waproto.Message.LiveLocationMessage.$Properties>
export type Message_LocationMessage = Decoded<waproto.Message.LocationMessage.$Properties>
export type Message_PollCreationMessage = Decoded<waproto.Message.PollCreationMessage.$Properties>
export type Message_PollVoteMessage = Decoded<waproto.Message.PollVoteMessage.$Properties>
export type Message_ReactionMessage = Decoded<waproto.Message.ReactionMessage.$Properties>
export type Message_ScheduledCallCreationMessage =
  Decoded<waproto.Message.ScheduledCallCreationMessage.$Properties>
export type Message_TemplateMessage = Decoded<waproto.Message.TemplateMessage.$Properties>
export type Message_TemplateMessage_FourRowTemplate =
  Decoded<waproto.Message.TemplateMessage.FourRowTemplate.$Properties>
export type Message_TemplateMessage_HydratedFourRowTemplate =
  Decoded<waproto.Message.TemplateMessage.HydratedFourRowTemplate.$Properties>
export type Money = Decoded<waproto.Money.$Properties>
export type TemplateButton = Decoded<waproto.TemplateButton.$Properties>
export type WebMessageInfo = Decoded<waproto.WebMessageInfo.$Properties>
