import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from "n8n-workflow"

export class MessagingBridgeApi implements ICredentialType {
  name = "messagingBridgeApi"
  displayName = "Messaging Bridge API"
  icon = {
    light: "file:../icons/messaging-bridge.svg",
    dark: "file:../icons/messaging-bridge.dark.svg",
  } as const
  documentationUrl = "https://www.npmjs.com/package/n8n-nodes-messaging-bridge"
  properties: INodeProperties[] = [
    {
      displayName: "Address",
      name: "url",
      type: "string",
      required: true,
      default: "",
      placeholder: "https://bridge.example.com",
      description: "Where the service answers, without a path",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      required: true,
      default: "",
      description: "From the dashboard, under API keys. The trigger needs one that may do everything.",
    },
  ]
  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
  }
  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}', url: "/api/account" },
  }
}
