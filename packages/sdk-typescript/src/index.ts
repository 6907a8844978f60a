export { BridgeError, type ErrorCode } from "./bridge-error.ts"
export { canBeAnswered } from "./can-be-answered.ts"
export type { CursorStore } from "./cursor.ts"
export type { CallOptions, Listing, SendOptions, Settings } from "./call.ts"
export {
  type Beginning,
  type BridgeClient,
  type EventOf,
  type EventOptions,
  type MessageOptions,
  type MessagingBridge,
  type StreamOptions,
  messagingBridge,
} from "./messaging-bridge.ts"
export * as webhooks from "./webhooks.ts"
export type * from "./generated.ts"
