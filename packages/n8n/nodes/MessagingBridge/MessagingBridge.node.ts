import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from "n8n-workflow"
import { parameters } from "./calls"
import { requestDefaults } from "./number"

export class MessagingBridge implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Messaging Bridge",
    name: "messagingBridge",
    icon: {
      light: "file:../../icons/messaging-bridge.svg",
      dark: "file:../../icons/messaging-bridge.dark.svg",
    },
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: "Send and read messages, and see how numbers and deliveries are",
    defaults: { name: "Messaging Bridge" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "messagingBridgeApi", required: true }],
    requestDefaults,
    properties: parameters,
  }
}
