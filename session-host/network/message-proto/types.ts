// Made by `npm run proto:generate`.

import type Long from "long"

/** A whole number of 64 bits. */
type Whole = number | Long

export interface Message {
  conversation?: string | null
  senderKeyDistributionMessage?: Message_SenderKeyDistributionMessage | null
  imageMessage?: Message_ImageMessage | null
  contactMessage?: Message_ContactMessage | null
  locationMessage?: Message_LocationMessage | null
  extendedTextMessage?: Message_ExtendedTextMessage | null
  documentMessage?: Message_DocumentMessage | null
  audioMessage?: Message_AudioMessage | null
  videoMessage?: Message_VideoMessage | null
  call?: Message_Call | null
  chat?: Message_Chat | null
  protocolMessage?: Message_ProtocolMessage | null
  contactsArrayMessage?: Message_ContactsArrayMessage | null
  highlyStructuredMessage?: Message_HighlyStructuredMessage | null
  fastRatchetKeySenderKeyDistributionMessage?: Message_SenderKeyDistributionMessage | null
  sendPaymentMessage?: Message_SendPaymentMessage | null
  liveLocationMessage?: Message_LiveLocationMessage | null
  requestPaymentMessage?: Message_RequestPaymentMessage | null
  declinePaymentRequestMessage?: Message_DeclinePaymentRequestMessage | null
  cancelPaymentRequestMessage?: Message_CancelPaymentRequestMessage | null
  templateMessage?: Message_TemplateMessage | null
  stickerMessage?: Message_StickerMessage | null
  groupInviteMessage?: Message_GroupInviteMessage | null
  templateButtonReplyMessage?: Message_TemplateButtonReplyMessage | null
  productMessage?: Message_ProductMessage | null
  deviceSentMessage?: Message_DeviceSentMessage | null
  messageContextInfo?: MessageContextInfo | null
  listMessage?: Message_ListMessage | null
  viewOnceMessage?: Message_FutureProofMessage | null
  orderMessage?: Message_OrderMessage | null
  listResponseMessage?: Message_ListResponseMessage | null
  ephemeralMessage?: Message_FutureProofMessage | null
  invoiceMessage?: Message_InvoiceMessage | null
  buttonsMessage?: Message_ButtonsMessage | null
  buttonsResponseMessage?: Message_ButtonsResponseMessage | null
  paymentInviteMessage?: Message_PaymentInviteMessage | null
  interactiveMessage?: Message_InteractiveMessage | null
  reactionMessage?: Message_ReactionMessage | null
  stickerSyncRmrMessage?: Message_StickerSyncRMRMessage | null
  interactiveResponseMessage?: Message_InteractiveResponseMessage | null
  pollCreationMessage?: Message_PollCreationMessage | null
  pollUpdateMessage?: Message_PollUpdateMessage | null
  keepInChatMessage?: Message_KeepInChatMessage | null
  documentWithCaptionMessage?: Message_FutureProofMessage | null
  requestPhoneNumberMessage?: Message_RequestPhoneNumberMessage | null
  viewOnceMessageV2?: Message_FutureProofMessage | null
  encReactionMessage?: Message_EncReactionMessage | null
  editedMessage?: Message_FutureProofMessage | null
  viewOnceMessageV2Extension?: Message_FutureProofMessage | null
  pollCreationMessageV2?: Message_PollCreationMessage | null
  scheduledCallCreationMessage?: Message_ScheduledCallCreationMessage | null
  groupMentionedMessage?: Message_FutureProofMessage | null
  pinInChatMessage?: Message_PinInChatMessage | null
  pollCreationMessageV3?: Message_PollCreationMessage | null
  scheduledCallEditMessage?: Message_ScheduledCallEditMessage | null
  ptvMessage?: Message_VideoMessage | null
  botInvokeMessage?: Message_FutureProofMessage | null
  callLogMesssage?: Message_CallLogMessage | null
  messageHistoryBundle?: Message_MessageHistoryBundle | null
  encCommentMessage?: Message_EncCommentMessage | null
  bcallMessage?: Message_BCallMessage | null
  lottieStickerMessage?: Message_FutureProofMessage | null
  eventMessage?: Message_EventMessage | null
  encEventResponseMessage?: Message_EncEventResponseMessage | null
  commentMessage?: Message_CommentMessage | null
  newsletterAdminInviteMessage?: Message_NewsletterAdminInviteMessage | null
  placeholderMessage?: Message_PlaceholderMessage | null
  secretEncryptedMessage?: Message_SecretEncryptedMessage | null
  albumMessage?: Message_AlbumMessage | null
  eventCoverImage?: Message_FutureProofMessage | null
  stickerPackMessage?: Message_StickerPackMessage | null
  statusMentionMessage?: Message_FutureProofMessage | null
  pollResultSnapshotMessage?: Message_PollResultSnapshotMessage | null
  pollCreationOptionImageMessage?: Message_FutureProofMessage | null
  associatedChildMessage?: Message_FutureProofMessage | null
  groupStatusMentionMessage?: Message_FutureProofMessage | null
  pollCreationMessageV4?: Message_FutureProofMessage | null
  statusAddYours?: Message_FutureProofMessage | null
  groupStatusMessage?: Message_FutureProofMessage | null
  richResponseMessage?: AIRichResponseMessage | null
  statusNotificationMessage?: Message_StatusNotificationMessage | null
  limitSharingMessage?: Message_FutureProofMessage | null
  botTaskMessage?: Message_FutureProofMessage | null
  questionMessage?: Message_FutureProofMessage | null
  messageHistoryNotice?: Message_MessageHistoryNotice | null
  groupStatusMessageV2?: Message_FutureProofMessage | null
  botForwardedMessage?: Message_FutureProofMessage | null
  statusQuestionAnswerMessage?: Message_StatusQuestionAnswerMessage | null
  questionReplyMessage?: Message_FutureProofMessage | null
  questionResponseMessage?: Message_QuestionResponseMessage | null
  statusQuotedMessage?: Message_StatusQuotedMessage | null
  statusStickerInteractionMessage?: Message_StatusStickerInteractionMessage | null
  pollCreationMessageV5?: Message_PollCreationMessage | null
  newsletterFollowerInviteMessageV2?: Message_NewsletterFollowerInviteMessage | null
  pollResultSnapshotMessageV3?: Message_PollResultSnapshotMessage | null
  newsletterAdminProfileMessage?: Message_FutureProofMessage | null
  spoilerMessage?: Message_FutureProofMessage | null
  pollCreationMessageV6?: Message_PollCreationMessage | null
  conditionalRevealMessage?: Message_ConditionalRevealMessage | null
  pollAddOptionMessage?: Message_PollAddOptionMessage | null
  eventInviteMessage?: Message_EventInviteMessage | null
  groupRootKeyShare?: GroupRootKeyShare | null
  paymentReminderMessage?: Message_PaymentReminderMessage | null
  splitPaymentMessage?: Message_SplitPaymentMessage | null
  newsletterAdminProfileStatusMessage?: Message_FutureProofMessage | null
  rootSecretDistributeMessage?: Message_RootSecretDistributeMessage | null
  splitPaymentUpdateMessage?: Message_SplitPaymentUpdateMessage | null
  musicMessage?: Message_MusicMessage | null
  statusLinkPreviewMetadata?: Message_StatusLinkPreviewMetadata | null
  botPlatformRegistrationSuccessMessage?: Message_FutureProofMessage | null
  newsletterScheduledMessage?: Message_FutureProofMessage | null
  acp2SettingMessage?: Message_FutureProofMessage | null
  audioStickerMessage?: Message_FutureProofMessage | null
}

export interface Message_SenderKeyDistributionMessage {
  groupId?: string | null
  axolotlSenderKeyDistributionMessage?: Uint8Array | null
}

export interface Message_ImageMessage {
  url?: string | null
  mimetype?: string | null
  caption?: string | null
  fileSha256?: Uint8Array | null
  fileLength?: Whole | null
  height?: number | null
  width?: number | null
  mediaKey?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  interactiveAnnotations?: InteractiveAnnotation[] | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  jpegThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
  firstScanSidecar?: Uint8Array | null
  firstScanLength?: number | null
  experimentGroupId?: number | null
  scansSidecar?: Uint8Array | null
  scanLengths?: number[] | null
  midQualityFileSha256?: Uint8Array | null
  midQualityFileEncSha256?: Uint8Array | null
  viewOnce?: boolean | null
  thumbnailDirectPath?: string | null
  thumbnailSha256?: Uint8Array | null
  thumbnailEncSha256?: Uint8Array | null
  staticUrl?: string | null
  annotations?: InteractiveAnnotation[] | null
  imageSourceType?: number | null
  accessibilityLabel?: string | null
  qrUrl?: string | null
}

export interface InteractiveAnnotation {
  polygonVertices?: Point[] | null
  shouldSkipConfirmation?: boolean | null
  embeddedContent?: EmbeddedContent | null
  statusLinkType?: number | null
  location?: Location | null
  newsletter?: ContextInfo_ForwardedNewsletterMessageInfo | null
  embeddedAction?: boolean | null
  tapAction?: TapLinkAction | null
}

export interface Point {
  xDeprecated?: number | null
  yDeprecated?: number | null
  x?: number | null
  y?: number | null
}

export interface EmbeddedContent {
  embeddedMessage?: EmbeddedMessage | null
  embeddedMusic?: EmbeddedMusic | null
}

export interface EmbeddedMessage {
  stanzaId?: string | null
  message?: Message | null
}

export interface EmbeddedMusic {
  musicContentMediaId?: string | null
  songId?: string | null
  author?: string | null
  title?: string | null
  artworkDirectPath?: string | null
  artworkSha256?: Uint8Array | null
  artworkEncSha256?: Uint8Array | null
  artistAttribution?: string | null
  countryBlocklist?: Uint8Array | null
  isExplicit?: boolean | null
  artworkMediaKey?: Uint8Array | null
  musicSongStartTimeInMs?: Whole | null
  derivedContentStartTimeInMs?: Whole | null
  overlapDurationInMs?: Whole | null
}

export interface Location {
  degreesLatitude?: number | null
  degreesLongitude?: number | null
  name?: string | null
}

export interface ContextInfo_ForwardedNewsletterMessageInfo {
  newsletterJid?: string | null
  serverMessageId?: number | null
  newsletterName?: string | null
  contentType?: number | null
  accessibilityText?: string | null
  profileName?: string | null
}

export interface TapLinkAction {
  title?: string | null
  tapUrl?: string | null
}

export interface ContextInfo {
  stanzaId?: string | null
  participant?: string | null
  quotedMessage?: Message | null
  remoteJid?: string | null
  mentionedJid?: string[] | null
  conversionSource?: string | null
  conversionData?: Uint8Array | null
  conversionDelaySeconds?: number | null
  forwardingScore?: number | null
  isForwarded?: boolean | null
  quotedAd?: ContextInfo_AdReplyInfo | null
  placeholderKey?: MessageKey | null
  expiration?: number | null
  ephemeralSettingTimestamp?: Whole | null
  ephemeralSharedSecret?: Uint8Array | null
  externalAdReply?: ContextInfo_ExternalAdReplyInfo | null
  entryPointConversionSource?: string | null
  entryPointConversionApp?: string | null
  entryPointConversionDelaySeconds?: number | null
  disappearingMode?: DisappearingMode | null
  actionLink?: ActionLink | null
  groupSubject?: string | null
  parentGroupJid?: string | null
  trustBannerType?: string | null
  trustBannerAction?: number | null
  isSampled?: boolean | null
  groupMentions?: GroupMention[] | null
  utm?: ContextInfo_UTMInfo | null
  forwardedNewsletterMessageInfo?: ContextInfo_ForwardedNewsletterMessageInfo | null
  businessMessageForwardInfo?: ContextInfo_BusinessMessageForwardInfo | null
  smbClientCampaignId?: string | null
  smbServerCampaignId?: string | null
  dataSharingContext?: ContextInfo_DataSharingContext | null
  alwaysShowAdAttribution?: boolean | null
  featureEligibilities?: ContextInfo_FeatureEligibilities | null
  entryPointConversionExternalSource?: string | null
  entryPointConversionExternalMedium?: string | null
  ctwaSignals?: string | null
  ctwaPayload?: Uint8Array | null
  forwardedAiBotMessageInfo?: ForwardedAIBotMessageInfo | null
  statusAttributionType?: number | null
  urlTrackingMap?: UrlTrackingMap | null
  pairedMediaType?: number | null
  rankingVersion?: number | null
  memberLabel?: MemberLabel | null
  isQuestion?: boolean | null
  statusSourceType?: number | null
  statusAttributions?: StatusAttribution[] | null
  isGroupStatus?: boolean | null
  forwardOrigin?: number | null
  questionReplyQuotedMessage?: ContextInfo_QuestionReplyQuotedMessage | null
  statusAudienceMetadata?: ContextInfo_StatusAudienceMetadata | null
  nonJidMentions?: number | null
  quotedType?: number | null
  botMessageSharingInfo?: BotMessageSharingInfo | null
  isSpoiler?: boolean | null
  mediaDomainInfo?: MediaDomainInfo | null
  partiallySelectedContent?: ContextInfo_PartiallySelectedContent | null
  afterReadDuration?: number | null
  crossAppSource?: number | null
  businessInteractionPills?: ContextInfo_BusinessInteractionPills | null
  posterStatusId?: string | null
  instagramThreadLink?: ContextInfo_InstagramThreadLink | null
  aiProvenance?: AIProvenance | null
}

export interface ContextInfo_AdReplyInfo {
  advertiserName?: string | null
  mediaType?: number | null
  jpegThumbnail?: Uint8Array | null
  caption?: string | null
}

export interface MessageKey {
  remoteJid?: string | null
  fromMe?: boolean | null
  id?: string | null
  participant?: string | null
}

export interface ContextInfo_ExternalAdReplyInfo {
  title?: string | null
  body?: string | null
  mediaType?: number | null
  thumbnailUrl?: string | null
  mediaUrl?: string | null
  thumbnail?: Uint8Array | null
  sourceType?: string | null
  sourceId?: string | null
  sourceUrl?: string | null
  containsAutoReply?: boolean | null
  renderLargerThumbnail?: boolean | null
  showAdAttribution?: boolean | null
  ctwaClid?: string | null
  ref?: string | null
  clickToWhatsappCall?: boolean | null
  adContextPreviewDismissed?: boolean | null
  sourceApp?: string | null
  automatedGreetingMessageShown?: boolean | null
  greetingMessageBody?: string | null
  ctaPayload?: string | null
  disableNudge?: boolean | null
  originalImageUrl?: string | null
  automatedGreetingMessageCtaType?: string | null
  wtwaAdFormat?: boolean | null
  adType?: number | null
  wtwaWebsiteUrl?: string | null
  adPreviewUrl?: string | null
  containsCtwaFlowsAutoReply?: boolean | null
  agmThumbnailStrategy?: number | null
  agmTitleStrategy?: number | null
  agmSubtitleStrategy?: number | null
  agmHeaderInteractionStrategy?: number | null
}

export interface DisappearingMode {
  initiator?: number | null
  trigger?: number | null
  initiatorDeviceJid?: string | null
  initiatedByMe?: boolean | null
}

export interface ActionLink {
  url?: string | null
  buttonTitle?: string | null
}

export interface GroupMention {
  groupJid?: string | null
  groupSubject?: string | null
}

export interface ContextInfo_UTMInfo {
  utmSource?: string | null
  utmCampaign?: string | null
}

export interface ContextInfo_BusinessMessageForwardInfo {
  businessOwnerJid?: string | null
}

export interface ContextInfo_DataSharingContext {
  showMmDisclosure?: boolean | null
  encryptedSignalTokenConsented?: string | null
  parameters?: ContextInfo_DataSharingContext_Parameters[] | null
  dataSharingFlags?: number | null
}

export interface ContextInfo_DataSharingContext_Parameters {
  key?: string | null
  stringData?: string | null
  intData?: Whole | null
  floatData?: number | null
  contents?: ContextInfo_DataSharingContext_Parameters | null
}

export interface ContextInfo_FeatureEligibilities {
  cannotBeReactedTo?: boolean | null
  cannotBeRanked?: boolean | null
  canRequestFeedback?: boolean | null
  canBeReshared?: boolean | null
  canReceiveMultiReact?: boolean | null
}

export interface ForwardedAIBotMessageInfo {
  botName?: string | null
  botJid?: string | null
  creatorName?: string | null
}

export interface UrlTrackingMap {
  urlTrackingMapElements?: UrlTrackingMap_UrlTrackingMapElement[] | null
}

export interface UrlTrackingMap_UrlTrackingMapElement {
  originalUrl?: string | null
  unconsentedUsersUrl?: string | null
  consentedUsersUrl?: string | null
  cardIndex?: number | null
}

export interface MemberLabel {
  label?: string | null
  labelTimestamp?: Whole | null
}

export interface StatusAttribution {
  type?: number | null
  actionUrl?: string | null
  statusReshare?: StatusAttribution_StatusReshare | null
  externalShare?: StatusAttribution_ExternalShare | null
  music?: StatusAttribution_Music | null
  groupStatus?: StatusAttribution_GroupStatus | null
  rlAttribution?: StatusAttribution_RLAttribution | null
  aiCreatedAttribution?: StatusAttribution_AiCreatedAttribution | null
}

export interface StatusAttribution_StatusReshare {
  source?: number | null
  metadata?: StatusAttribution_StatusReshare_Metadata | null
}

export interface StatusAttribution_StatusReshare_Metadata {
  duration?: number | null
  channelJid?: string | null
  channelMessageId?: number | null
  hasMultipleReshares?: boolean | null
}

export interface StatusAttribution_ExternalShare {
  actionUrl?: string | null
  source?: number | null
  duration?: number | null
  actionFallbackUrl?: string | null
}

export interface StatusAttribution_Music {
  authorName?: string | null
  songId?: string | null
  title?: string | null
  author?: string | null
  artistAttribution?: string | null
  isExplicit?: boolean | null
}

export interface StatusAttribution_GroupStatus {
  authorJid?: string | null
}

export interface StatusAttribution_RLAttribution {
  source?: number | null
}

export interface StatusAttribution_AiCreatedAttribution {
  source?: number | null
}

export interface ContextInfo_QuestionReplyQuotedMessage {
  serverQuestionId?: number | null
  quotedQuestion?: Message | null
  quotedResponse?: Message | null
}

export interface ContextInfo_StatusAudienceMetadata {
  audienceType?: number | null
  listName?: string | null
  listEmoji?: string | null
}

export interface BotMessageSharingInfo {
  botEntryPointOrigin?: number | null
  forwardScore?: number | null
}

export interface MediaDomainInfo {
  mediaKeyDomain?: number | null
  e2EeMediaKey?: Uint8Array | null
}

export interface ContextInfo_PartiallySelectedContent {
  text?: string | null
}

export interface ContextInfo_BusinessInteractionPills {
  businessJid?: string | null
  pills?: ContextInfo_BusinessInteractionPills_Pill[] | null
  entryPoint?: number | null
  signedPayload?: Uint8Array | null
  signatureEnvelope?: BotSignatureVerificationMetadata | null
  unauthenticatedBusinessMetadata?: ContextInfo_BusinessInteractionPills_UnauthenticatedBusinessMetadata | null
}

export interface ContextInfo_BusinessInteractionPills_Pill {
  pillType?: number | null
  actionUrl?: string | null
}

export interface BotSignatureVerificationMetadata {
  proofs?: BotSignatureVerificationUseCaseProof[] | null
}

export interface BotSignatureVerificationUseCaseProof {
  version?: number | null
  useCase?: number | null
  signature?: Uint8Array | null
  certificateChain?: Uint8Array[] | null
  certificateChainSki?: BotSignatureVerificationUseCaseProof_CertificateSKI[] | null
}

export interface BotSignatureVerificationUseCaseProof_CertificateSKI {
  useCase?: number | null
  ski?: Uint8Array | null
}

export interface ContextInfo_BusinessInteractionPills_UnauthenticatedBusinessMetadata {
  businessName?: string | null
  businessCategory?: string | null
  businessIsOpen?: boolean | null
  businessIsOpenSnapshotMs?: Whole | null
}

export interface ContextInfo_InstagramThreadLink {
  url?: string | null
}

export interface AIProvenance {
  c2PaMetadata?: AIProvenance_Metadata | null
  iptcMetadata?: AIProvenance_Metadata | null
}

export interface AIProvenance_Metadata {
  createdWithGenAi?: boolean | null
  editedWithGenAi?: boolean | null
}

export interface Message_ContactMessage {
  displayName?: string | null
  vcard?: string | null
  contextInfo?: ContextInfo | null
  isSelfContact?: boolean | null
}

export interface Message_LocationMessage {
  degreesLatitude?: number | null
  degreesLongitude?: number | null
  name?: string | null
  address?: string | null
  url?: string | null
  isLive?: boolean | null
  accuracyInMeters?: number | null
  speedInMps?: number | null
  degreesClockwiseFromMagneticNorth?: number | null
  comment?: string | null
  jpegThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
}

export interface Message_ExtendedTextMessage {
  text?: string | null
  matchedText?: string | null
  description?: string | null
  title?: string | null
  textArgb?: number | null
  backgroundArgb?: number | null
  font?: number | null
  previewType?: number | null
  jpegThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
  doNotPlayInline?: boolean | null
  thumbnailDirectPath?: string | null
  thumbnailSha256?: Uint8Array | null
  thumbnailEncSha256?: Uint8Array | null
  mediaKey?: Uint8Array | null
  mediaKeyTimestamp?: Whole | null
  thumbnailHeight?: number | null
  thumbnailWidth?: number | null
  inviteLinkGroupType?: number | null
  inviteLinkParentGroupSubjectV2?: string | null
  inviteLinkParentGroupThumbnailV2?: Uint8Array | null
  inviteLinkGroupTypeV2?: number | null
  viewOnce?: boolean | null
  videoHeight?: number | null
  videoWidth?: number | null
  faviconMmsMetadata?: Message_MMSThumbnailMetadata | null
  linkPreviewMetadata?: Message_LinkPreviewMetadata | null
  paymentLinkMetadata?: Message_PaymentLinkMetadata | null
  endCardTiles?: Message_VideoEndCard[] | null
  videoContentUrl?: string | null
  musicMetadata?: EmbeddedMusic | null
  paymentExtendedMetadata?: Message_PaymentExtendedMetadata | null
}

export interface Message_MMSThumbnailMetadata {
  thumbnailDirectPath?: string | null
  thumbnailSha256?: Uint8Array | null
  thumbnailEncSha256?: Uint8Array | null
  mediaKey?: Uint8Array | null
  mediaKeyTimestamp?: Whole | null
  thumbnailHeight?: number | null
  thumbnailWidth?: number | null
}

export interface Message_LinkPreviewMetadata {
  paymentLinkMetadata?: Message_PaymentLinkMetadata | null
  urlMetadata?: Message_URLMetadata | null
  fbExperimentId?: number | null
  linkMediaDuration?: number | null
  socialMediaPostType?: number | null
  linkInlineVideoMuted?: boolean | null
  videoContentUrl?: string | null
  musicMetadata?: EmbeddedMusic | null
  videoContentCaption?: string | null
}

export interface Message_PaymentLinkMetadata {
  button?: Message_PaymentLinkMetadata_PaymentLinkButton | null
  header?: Message_PaymentLinkMetadata_PaymentLinkHeader | null
  provider?: Message_PaymentLinkMetadata_PaymentLinkProvider | null
}

export interface Message_PaymentLinkMetadata_PaymentLinkButton {
  displayText?: string | null
}

export interface Message_PaymentLinkMetadata_PaymentLinkHeader {
  headerType?: number | null
}

export interface Message_PaymentLinkMetadata_PaymentLinkProvider {
  paramsJson?: string | null
}

export interface Message_URLMetadata {
  fbExperimentId?: number | null
}

export interface Message_VideoEndCard {
  username?: string | null
  caption?: string | null
  thumbnailImageUrl?: string | null
  profilePictureUrl?: string | null
}

export interface Message_PaymentExtendedMetadata {
  type?: number | null
  platform?: string | null
  messageParamsJson?: string | null
}

export interface Message_DocumentMessage {
  url?: string | null
  mimetype?: string | null
  title?: string | null
  fileSha256?: Uint8Array | null
  fileLength?: Whole | null
  pageCount?: number | null
  mediaKey?: Uint8Array | null
  fileName?: string | null
  fileEncSha256?: Uint8Array | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  contactVcard?: boolean | null
  thumbnailDirectPath?: string | null
  thumbnailSha256?: Uint8Array | null
  thumbnailEncSha256?: Uint8Array | null
  jpegThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
  thumbnailHeight?: number | null
  thumbnailWidth?: number | null
  caption?: string | null
  accessibilityLabel?: string | null
}

export interface Message_AudioMessage {
  url?: string | null
  mimetype?: string | null
  fileSha256?: Uint8Array | null
  fileLength?: Whole | null
  seconds?: number | null
  ptt?: boolean | null
  mediaKey?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  contextInfo?: ContextInfo | null
  streamingSidecar?: Uint8Array | null
  waveform?: Uint8Array | null
  backgroundArgb?: number | null
  viewOnce?: boolean | null
  accessibilityLabel?: string | null
}

export interface Message_VideoMessage {
  url?: string | null
  mimetype?: string | null
  fileSha256?: Uint8Array | null
  fileLength?: Whole | null
  seconds?: number | null
  mediaKey?: Uint8Array | null
  caption?: string | null
  gifPlayback?: boolean | null
  height?: number | null
  width?: number | null
  fileEncSha256?: Uint8Array | null
  interactiveAnnotations?: InteractiveAnnotation[] | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  jpegThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
  streamingSidecar?: Uint8Array | null
  gifAttribution?: number | null
  viewOnce?: boolean | null
  thumbnailDirectPath?: string | null
  thumbnailSha256?: Uint8Array | null
  thumbnailEncSha256?: Uint8Array | null
  staticUrl?: string | null
  annotations?: InteractiveAnnotation[] | null
  accessibilityLabel?: string | null
  processedVideos?: ProcessedVideo[] | null
  externalShareFullVideoDurationInSeconds?: number | null
  motionPhotoPresentationOffsetMs?: Whole | null
  metadataUrl?: string | null
  videoSourceType?: number | null
}

export interface ProcessedVideo {
  directPath?: string | null
  fileSha256?: Uint8Array | null
  height?: number | null
  width?: number | null
  fileLength?: Whole | null
  bitrate?: number | null
  quality?: number | null
  capabilities?: string[] | null
}

export interface Message_Call {
  callKey?: Uint8Array | null
  conversionSource?: string | null
  conversionData?: Uint8Array | null
  conversionDelaySeconds?: number | null
  ctwaSignals?: string | null
  ctwaPayload?: Uint8Array | null
  contextInfo?: ContextInfo | null
  nativeFlowCallButtonPayload?: string | null
  deeplinkPayload?: string | null
  messageContextInfo?: MessageContextInfo | null
  callEntryPoint?: number | null
  callReason?: string | null
}

export interface MessageContextInfo {
  deviceListMetadata?: DeviceListMetadata | null
  deviceListMetadataVersion?: number | null
  messageSecret?: Uint8Array | null
  paddingBytes?: Uint8Array | null
  messageAddOnDurationInSecs?: number | null
  botMessageSecret?: Uint8Array | null
  botMetadata?: BotMetadata | null
  reportingTokenVersion?: number | null
  messageAddOnExpiryType?: number | null
  messageAssociation?: MessageAssociation | null
  capiCreatedGroup?: boolean | null
  supportPayload?: string | null
  limitSharing?: LimitSharing | null
  limitSharingV2?: LimitSharing | null
  threadId?: ThreadID[] | null
  weblinkRenderConfig?: number | null
  teeBotMetadata?: Uint8Array | null
  accountEncryptionAttestation?: NonE2EEAttestation | null
  associatedPrimaryIdentityKey?: Uint8Array | null
}

export interface DeviceListMetadata {
  senderKeyHash?: Uint8Array | null
  senderTimestamp?: Whole | null
  senderKeyIndexes?: number[] | null
  senderAccountType?: number | null
  receiverAccountType?: number | null
  recipientKeyHash?: Uint8Array | null
  recipientTimestamp?: Whole | null
  recipientKeyIndexes?: number[] | null
}

export interface BotMetadata {
  personaId?: string | null
  pluginMetadata?: BotPluginMetadata | null
  suggestedPromptMetadata?: BotSuggestedPromptMetadata | null
  invokerJid?: string | null
  sessionMetadata?: BotSessionMetadata | null
  memuMetadata?: BotMemuMetadata | null
  timezone?: string | null
  reminderMetadata?: BotReminderMetadata | null
  modelMetadata?: BotModelMetadata | null
  messageDisclaimerText?: string | null
  progressIndicatorMetadata?: BotProgressIndicatorMetadata | null
  capabilityMetadata?: BotCapabilityMetadata | null
  imagineMetadata?: BotImagineMetadata | null
  memoryMetadata?: BotMemoryMetadata | null
  renderingMetadata?: BotRenderingMetadata | null
  botMetricsMetadata?: BotMetricsMetadata | null
  botLinkedAccountsMetadata?: BotLinkedAccountsMetadata | null
  richResponseSourcesMetadata?: BotSourcesMetadata | null
  aiConversationContext?: Uint8Array | null
  botPromotionMessageMetadata?: BotPromotionMessageMetadata | null
  botModeSelectionMetadata?: BotModeSelectionMetadata | null
  botQuotaMetadata?: BotQuotaMetadata | null
  botAgeCollectionMetadata?: BotAgeCollectionMetadata | null
  conversationStarterPromptId?: string | null
  botResponseId?: string | null
  verificationMetadata?: BotSignatureVerificationMetadata | null
  unifiedResponseMutation?: BotUnifiedResponseMutation | null
  botMessageOriginMetadata?: BotMessageOriginMetadata | null
  inThreadSurveyMetadata?: InThreadSurveyMetadata | null
  botThreadInfo?: AIThreadInfo | null
  regenerateMetadata?: AIRegenerateMetadata | null
  sessionTransparencyMetadata?: SessionTransparencyMetadata | null
  botDocumentMessageMetadata?: BotDocumentMessageMetadata | null
  botGroupMetadata?: BotGroupMetadata | null
  botRenderingConfigMetadata?: BotRenderingConfigMetadata | null
  botInfrastructureDiagnostics?: BotInfrastructureDiagnostics | null
  aiMediaCollectionMetadata?: AIMediaCollectionMetadata | null
  commandMetadata?: BotCommandMetadata | null
  resolvedToolCallMetadata?: BotResolvedToolCallMetadata | null
  subscriptionUpsellMetadata?: AISubscriptionUpsellMetadata | null
  pttPromptMetadata?: BotPttPromptMetadata | null
  botHistoryShareMetadata?: BotHistoryShareMetadata | null
  internalMetadata?: Uint8Array | null
}

export interface BotPluginMetadata {
  provider?: number | null
  pluginType?: number | null
  thumbnailCdnUrl?: string | null
  profilePhotoCdnUrl?: string | null
  searchProviderUrl?: string | null
  referenceIndex?: number | null
  expectedLinksCount?: number | null
  searchQuery?: string | null
  parentPluginMessageKey?: MessageKey | null
  deprecatedField?: number | null
  parentPluginType?: number | null
  faviconCdnUrl?: string | null
}

export interface BotSuggestedPromptMetadata {
  suggestedPrompts?: string[] | null
  selectedPromptIndex?: number | null
  promptSuggestions?: BotPromptSuggestions | null
  selectedPromptId?: string | null
}

export interface BotPromptSuggestions {
  suggestions?: BotPromptSuggestion[] | null
}

export interface BotPromptSuggestion {
  prompt?: string | null
  promptId?: string | null
}

export interface BotSessionMetadata {
  sessionId?: string | null
  sessionSource?: number | null
}

export interface BotMemuMetadata {
  faceImages?: BotMediaMetadata[] | null
}

export interface BotMediaMetadata {
  fileSha256?: string | null
  mediaKey?: string | null
  fileEncSha256?: string | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  mimetype?: string | null
  orientationType?: number | null
}

export interface BotReminderMetadata {
  requestMessageKey?: MessageKey | null
  action?: number | null
  name?: string | null
  nextTriggerTimestamp?: Whole | null
  frequency?: number | null
}

export interface BotModelMetadata {
  modelType?: number | null
  premiumModelStatus?: number | null
  modelNameOverride?: string | null
}

export interface BotProgressIndicatorMetadata {
  progressDescription?: string | null
  stepsMetadata?: BotProgressIndicatorMetadata_BotPlanningStepMetadata[] | null
  estimatedCompletionTime?: Whole | null
}

export interface BotProgressIndicatorMetadata_BotPlanningStepMetadata {
  statusTitle?: string | null
  statusBody?: string | null
  sourcesMetadata?: BotProgressIndicatorMetadata_BotPlanningStepMetadata_BotPlanningSearchSourcesMetadata[] | null
  status?: number | null
  isReasoning?: boolean | null
  isEnhancedSearch?: boolean | null
  sections?: BotProgressIndicatorMetadata_BotPlanningStepMetadata_BotPlanningStepSectionMetadata[] | null
}

export interface BotProgressIndicatorMetadata_BotPlanningStepMetadata_BotPlanningSearchSourcesMetadata {
  sourceTitle?: string | null
  provider?: number | null
  sourceUrl?: string | null
}

export interface BotProgressIndicatorMetadata_BotPlanningStepMetadata_BotPlanningStepSectionMetadata {
  sectionTitle?: string | null
  sectionBody?: string | null
  sourcesMetadata?: BotProgressIndicatorMetadata_BotPlanningStepMetadata_BotPlanningSearchSourceMetadata[] | null
}

export interface BotProgressIndicatorMetadata_BotPlanningStepMetadata_BotPlanningSearchSourceMetadata {
  title?: string | null
  provider?: number | null
  sourceUrl?: string | null
  favIconUrl?: string | null
}

export interface BotCapabilityMetadata {
  capabilities?: number[] | null
}

export interface BotImagineMetadata {
  imagineType?: number | null
  shortPrompt?: string | null
}

export interface BotMemoryMetadata {
  addedFacts?: BotMemoryFact[] | null
  removedFacts?: BotMemoryFact[] | null
  disclaimer?: string | null
}

export interface BotMemoryFact {
  fact?: string | null
  factId?: string | null
}

export interface BotRenderingMetadata {
  keywords?: BotRenderingMetadata_Keyword[] | null
}

export interface BotRenderingMetadata_Keyword {
  value?: string | null
  associatedPrompts?: string[] | null
}

export interface BotMetricsMetadata {
  destinationId?: string | null
  destinationEntryPoint?: number | null
  threadOrigin?: number | null
}

export interface BotLinkedAccountsMetadata {
  accounts?: BotLinkedAccount[] | null
  acAuthTokens?: Uint8Array | null
  acErrorCode?: number | null
}

export interface BotLinkedAccount {
  type?: number | null
}

export interface BotSourcesMetadata {
  sources?: BotSourcesMetadata_BotSourceItem[] | null
}

export interface BotSourcesMetadata_BotSourceItem {
  provider?: number | null
  thumbnailCdnUrl?: string | null
  sourceProviderUrl?: string | null
  sourceQuery?: string | null
  faviconCdnUrl?: string | null
  citationNumber?: number | null
  sourceTitle?: string | null
}

export interface BotPromotionMessageMetadata {
  promotionType?: number | null
  buttonTitle?: string | null
}

export interface BotModeSelectionMetadata {
  mode?: number[] | null
  overrideMode?: number[] | null
}

export interface BotQuotaMetadata {
  botFeatureQuotaMetadata?: BotQuotaMetadata_BotFeatureQuotaMetadata[] | null
}

export interface BotQuotaMetadata_BotFeatureQuotaMetadata {
  featureType?: number | null
  remainingQuota?: number | null
  expirationTimestamp?: Whole | null
}

export interface BotAgeCollectionMetadata {
  ageCollectionEligible?: boolean | null
  shouldTriggerAgeCollectionOnClient?: boolean | null
  ageCollectionType?: number | null
}

export interface BotUnifiedResponseMutation {
  sbsMetadata?: BotUnifiedResponseMutation_SideBySideMetadata | null
  mediaDetailsMetadataList?: BotUnifiedResponseMutation_MediaDetailsMetadata[] | null
}

export interface BotUnifiedResponseMutation_SideBySideMetadata {
  primaryResponseId?: string | null
  surveyCtaHasRendered?: boolean | null
}

export interface BotUnifiedResponseMutation_MediaDetailsMetadata {
  id?: string | null
  highResMedia?: BotMediaMetadata | null
  previewMedia?: BotMediaMetadata | null
}

export interface BotMessageOriginMetadata {
  origins?: BotMessageOrigin[] | null
}

export interface BotMessageOrigin {
  type?: number | null
}

export interface InThreadSurveyMetadata {
  tessaSessionId?: string | null
  simonSessionId?: string | null
  simonSurveyId?: string | null
  tessaRootId?: string | null
  requestId?: string | null
  tessaEvent?: string | null
  invitationHeaderText?: string | null
  invitationBodyText?: string | null
  invitationCtaText?: string | null
  invitationCtaUrl?: string | null
  surveyTitle?: string | null
  questions?: InThreadSurveyMetadata_InThreadSurveyQuestion[] | null
  surveyContinueButtonText?: string | null
  surveySubmitButtonText?: string | null
  privacyStatementFull?: string | null
  privacyStatementParts?: InThreadSurveyMetadata_InThreadSurveyPrivacyStatementPart[] | null
  feedbackToastText?: string | null
  startQuestionIndex?: number | null
}

export interface InThreadSurveyMetadata_InThreadSurveyQuestion {
  questionText?: string | null
  questionId?: string | null
  questionOptions?: InThreadSurveyMetadata_InThreadSurveyOption[] | null
}

export interface InThreadSurveyMetadata_InThreadSurveyOption {
  stringValue?: string | null
  numericValue?: number | null
  textTranslated?: string | null
}

export interface InThreadSurveyMetadata_InThreadSurveyPrivacyStatementPart {
  text?: string | null
  url?: string | null
}

export interface AIThreadInfo {
  serverInfo?: AIThreadInfo_AIThreadServerInfo | null
  clientInfo?: AIThreadInfo_AIThreadClientInfo | null
}

export interface AIThreadInfo_AIThreadServerInfo {
  title?: string | null
}

export interface AIThreadInfo_AIThreadClientInfo {
  type?: number | null
  sourceChatJid?: string | null
}

export interface AIRegenerateMetadata {
  messageKey?: MessageKey | null
  responseTimestampMs?: Whole | null
}

export interface SessionTransparencyMetadata {
  disclaimerText?: string | null
  hcaId?: string | null
  sessionTransparencyType?: number | null
}

export interface BotDocumentMessageMetadata {
  pluginType?: number | null
}

export interface BotGroupMetadata {
  participantsMetadata?: BotGroupParticipantMetadata[] | null
}

export interface BotGroupParticipantMetadata {
  botFbid?: string | null
}

export interface BotRenderingConfigMetadata {
  bloksVersioningId?: string | null
  pixelDensity?: number | null
}

export interface BotInfrastructureDiagnostics {
  botBackend?: number | null
  toolsUsed?: string[] | null
  isThinking?: boolean | null
}

export interface AIMediaCollectionMetadata {
  collectionId?: string | null
  uploadOrderIndex?: number | null
}

export interface BotCommandMetadata {
  commandName?: string | null
  commandDescription?: string | null
  commandPrompt?: string | null
}

export interface BotResolvedToolCallMetadata {
  toolCallId?: string | null
  resolutionDataSerialized?: string | null
}

export interface AISubscriptionUpsellMetadata {
  requestType?: number | null
}

export interface BotPttPromptMetadata {
  transcript?: string | null
}

export interface BotHistoryShareMetadata {
  participantsMetadata?: BotGroupParticipantMetadata[] | null
}

export interface MessageAssociation {
  associationType?: number | null
  parentMessageKey?: MessageKey | null
  messageIndex?: number | null
}

export interface LimitSharing {
  sharingLimited?: boolean | null
  trigger?: number | null
  limitSharingSettingTimestamp?: Whole | null
  initiatedByMe?: boolean | null
}

export interface ThreadID {
  threadType?: number | null
  threadKey?: MessageKey | null
}

export interface NonE2EEAttestation {
  accountType?: number | null
}

export interface Message_Chat {
  displayName?: string | null
  id?: string | null
}

export interface Message_ProtocolMessage {
  key?: MessageKey | null
  type?: number | null
  ephemeralExpiration?: number | null
  ephemeralSettingTimestamp?: Whole | null
  historySyncNotification?: Message_HistorySyncNotification | null
  appStateSyncKeyShare?: Message_AppStateSyncKeyShare | null
  appStateSyncKeyRequest?: Message_AppStateSyncKeyRequest | null
  initialSecurityNotificationSettingSync?: Message_InitialSecurityNotificationSettingSync | null
  appStateFatalExceptionNotification?: Message_AppStateFatalExceptionNotification | null
  disappearingMode?: DisappearingMode | null
  editedMessage?: Message | null
  timestampMs?: Whole | null
  peerDataOperationRequestMessage?: Message_PeerDataOperationRequestMessage | null
  peerDataOperationRequestResponseMessage?: Message_PeerDataOperationRequestResponseMessage | null
  botFeedbackMessage?: BotFeedbackMessage | null
  invokerJid?: string | null
  requestWelcomeMessageMetadata?: Message_RequestWelcomeMessageMetadata | null
  mediaNotifyMessage?: MediaNotifyMessage | null
  cloudApiThreadControlNotification?: Message_CloudAPIThreadControlNotification | null
  lidMigrationMappingSyncMessage?: LIDMigrationMappingSyncMessage | null
  limitSharing?: LimitSharing | null
  aiPsiMetadata?: Uint8Array | null
  aiQueryFanout?: AIQueryFanout | null
  memberLabel?: MemberLabel | null
  aiMediaCollectionMessage?: AIMediaCollectionMessage | null
  afterReadDuration?: number | null
  chatThemeSetting?: Message_ChatThemeSetting | null
  aiMetadataOperation?: AIMetadataOperation | null
  markAsVerifiedAction?: Message_MarkAsVerifiedAction | null
  coexStateSync?: CoexStateSync | null
}

export interface Message_HistorySyncNotification {
  fileSha256?: Uint8Array | null
  fileLength?: Whole | null
  mediaKey?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  directPath?: string | null
  syncType?: number | null
  chunkOrder?: number | null
  originalMessageId?: string | null
  progress?: number | null
  oldestMsgInChunkTimestampSec?: Whole | null
  initialHistBootstrapInlinePayload?: Uint8Array | null
  peerDataRequestSessionId?: string | null
  fullHistorySyncOnDemandRequestMetadata?: Message_FullHistorySyncOnDemandRequestMetadata | null
  encHandle?: string | null
  messageAccessStatus?: Message_HistorySyncMessageAccessStatus | null
}

export interface Message_FullHistorySyncOnDemandRequestMetadata {
  requestId?: string | null
  businessProduct?: string | null
  opaqueClientData?: Uint8Array | null
}

export interface Message_HistorySyncMessageAccessStatus {
  completeAccessGranted?: boolean | null
}

export interface Message_AppStateSyncKeyShare {
  keys?: Message_AppStateSyncKey[] | null
}

export interface Message_AppStateSyncKey {
  keyId?: Message_AppStateSyncKeyId | null
  keyData?: Message_AppStateSyncKeyData | null
}

export interface Message_AppStateSyncKeyId {
  keyId?: Uint8Array | null
}

export interface Message_AppStateSyncKeyData {
  keyData?: Uint8Array | null
  fingerprint?: Message_AppStateSyncKeyFingerprint | null
  timestamp?: Whole | null
}

export interface Message_AppStateSyncKeyFingerprint {
  rawId?: number | null
  currentIndex?: number | null
  deviceIndexes?: number[] | null
}

export interface Message_AppStateSyncKeyRequest {
  keyIds?: Message_AppStateSyncKeyId[] | null
}

export interface Message_InitialSecurityNotificationSettingSync {
  securityNotificationEnabled?: boolean | null
}

export interface Message_AppStateFatalExceptionNotification {
  collectionNames?: string[] | null
  timestamp?: Whole | null
}

export interface Message_PeerDataOperationRequestMessage {
  peerDataOperationRequestType?: number | null
  requestStickerReupload?: Message_PeerDataOperationRequestMessage_RequestStickerReupload[] | null
  requestUrlPreview?: Message_PeerDataOperationRequestMessage_RequestUrlPreview[] | null
  historySyncOnDemandRequest?: Message_PeerDataOperationRequestMessage_HistorySyncOnDemandRequest | null
  placeholderMessageResendRequest?: Message_PeerDataOperationRequestMessage_PlaceholderMessageResendRequest[] | null
  fullHistorySyncOnDemandRequest?: Message_PeerDataOperationRequestMessage_FullHistorySyncOnDemandRequest | null
  syncdCollectionFatalRecoveryRequest?: Message_PeerDataOperationRequestMessage_SyncDCollectionFatalRecoveryRequest | null
  historySyncChunkRetryRequest?: Message_PeerDataOperationRequestMessage_HistorySyncChunkRetryRequest | null
  galaxyFlowAction?: Message_PeerDataOperationRequestMessage_GalaxyFlowAction | null
  companionCanonicalUserNonceFetchRequest?: Message_PeerDataOperationRequestMessage_CompanionCanonicalUserNonceFetchRequest | null
  bizBroadcastInsightsContactListRequest?: Message_PeerDataOperationRequestMessage_BizBroadcastInsightsContactListRequest | null
  bizBroadcastInsightsRefreshRequest?: Message_PeerDataOperationRequestMessage_BizBroadcastInsightsRefreshRequest | null
}

export interface Message_PeerDataOperationRequestMessage_RequestStickerReupload {
  fileSha256?: string | null
}

export interface Message_PeerDataOperationRequestMessage_RequestUrlPreview {
  url?: string | null
  includeHqThumbnail?: boolean | null
}

export interface Message_PeerDataOperationRequestMessage_HistorySyncOnDemandRequest {
  chatJid?: string | null
  oldestMsgId?: string | null
  oldestMsgFromMe?: boolean | null
  onDemandMsgCount?: number | null
  oldestMsgTimestampMs?: Whole | null
  accountLid?: string | null
  supportInlineResponse?: boolean | null
}

export interface Message_PeerDataOperationRequestMessage_PlaceholderMessageResendRequest {
  messageKey?: MessageKey | null
}

export interface Message_PeerDataOperationRequestMessage_FullHistorySyncOnDemandRequest {
  requestMetadata?: Message_FullHistorySyncOnDemandRequestMetadata | null
  historySyncConfig?: DeviceProps_HistorySyncConfig | null
  fullHistorySyncOnDemandConfig?: Message_FullHistorySyncOnDemandConfig | null
}

export interface DeviceProps_HistorySyncConfig {
  fullSyncDaysLimit?: number | null
  fullSyncSizeMbLimit?: number | null
  storageQuotaMb?: number | null
  inlineInitialPayloadInE2EeMsg?: boolean | null
  recentSyncDaysLimit?: number | null
  supportCallLogHistory?: boolean | null
  supportBotUserAgentChatHistory?: boolean | null
  supportCagReactionsAndPolls?: boolean | null
  supportBizHostedMsg?: boolean | null
  supportRecentSyncChunkMessageCountTuning?: boolean | null
  supportHostedGroupMsg?: boolean | null
  supportFbidBotChatHistory?: boolean | null
  supportAddOnHistorySyncMigration?: boolean | null
  supportMessageAssociation?: boolean | null
  supportGroupHistory?: boolean | null
  onDemandReady?: boolean | null
  supportGuestChat?: boolean | null
  completeOnDemandReady?: boolean | null
  thumbnailSyncDaysLimit?: number | null
  initialSyncMaxMessagesPerChat?: number | null
  supportManusHistory?: boolean | null
  supportHatchHistory?: boolean | null
  supportedBotChannelFbids?: string[] | null
  supportInlineContacts?: boolean | null
  supportNewsletter?: boolean | null
}

export interface Message_FullHistorySyncOnDemandConfig {
  historyFromTimestamp?: Whole | null
  historyDurationDays?: number | null
}

export interface Message_PeerDataOperationRequestMessage_SyncDCollectionFatalRecoveryRequest {
  collectionName?: string | null
  timestamp?: Whole | null
}

export interface Message_PeerDataOperationRequestMessage_HistorySyncChunkRetryRequest {
  syncType?: number | null
  chunkOrder?: number | null
  chunkNotificationId?: string | null
  regenerateChunk?: boolean | null
}

export interface Message_PeerDataOperationRequestMessage_GalaxyFlowAction {
  type?: number | null
  flowId?: string | null
  stanzaId?: string | null
  galaxyFlowDownloadRequestId?: string | null
  agmId?: string | null
}

export interface Message_PeerDataOperationRequestMessage_CompanionCanonicalUserNonceFetchRequest {
  registrationTraceId?: string | null
}

export interface Message_PeerDataOperationRequestMessage_BizBroadcastInsightsContactListRequest {
  campaignId?: string | null
}

export interface Message_PeerDataOperationRequestMessage_BizBroadcastInsightsRefreshRequest {
  campaignId?: string | null
}

export interface Message_PeerDataOperationRequestResponseMessage {
  peerDataOperationRequestType?: number | null
  stanzaId?: string | null
  peerDataOperationResult?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult[] | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult {
  mediaUploadResult?: number | null
  stickerMessage?: Message_StickerMessage | null
  linkPreviewResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_LinkPreviewResponse | null
  placeholderMessageResendResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_PlaceholderMessageResendResponse | null
  waffleNonceFetchRequestResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_WaffleNonceFetchResponse | null
  fullHistorySyncOnDemandRequestResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_FullHistorySyncOnDemandRequestResponse | null
  companionMetaNonceFetchRequestResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_CompanionMetaNonceFetchResponse | null
  syncdSnapshotFatalRecoveryResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_SyncDSnapshotFatalRecoveryResponse | null
  companionCanonicalUserNonceFetchRequestResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_CompanionCanonicalUserNonceFetchResponse | null
  historySyncChunkRetryResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_HistorySyncChunkRetryResponse | null
  flowResponsesCsvBundle?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_FlowResponsesCsvBundle | null
  bizBroadcastInsightsContactListResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_BizBroadcastInsightsContactListResponse | null
  contactRefreshResponse?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_ContactRefreshResponse | null
}

export interface Message_StickerMessage {
  url?: string | null
  fileSha256?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  mediaKey?: Uint8Array | null
  mimetype?: string | null
  height?: number | null
  width?: number | null
  directPath?: string | null
  fileLength?: Whole | null
  mediaKeyTimestamp?: Whole | null
  firstFrameLength?: number | null
  firstFrameSidecar?: Uint8Array | null
  isAnimated?: boolean | null
  pngThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
  stickerSentTs?: Whole | null
  isAvatar?: boolean | null
  isAiSticker?: boolean | null
  isLottie?: boolean | null
  accessibilityLabel?: string | null
  premium?: number | null
  emojis?: string | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_LinkPreviewResponse {
  url?: string | null
  title?: string | null
  description?: string | null
  thumbData?: Uint8Array | null
  matchText?: string | null
  previewType?: string | null
  hqThumbnail?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_LinkPreviewResponse_LinkPreviewHighQualityThumbnail | null
  previewMetadata?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_LinkPreviewResponse_PaymentLinkPreviewMetadata | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_LinkPreviewResponse_LinkPreviewHighQualityThumbnail {
  directPath?: string | null
  thumbHash?: string | null
  encThumbHash?: string | null
  mediaKey?: Uint8Array | null
  mediaKeyTimestampMs?: Whole | null
  thumbWidth?: number | null
  thumbHeight?: number | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_LinkPreviewResponse_PaymentLinkPreviewMetadata {
  isBusinessVerified?: boolean | null
  providerName?: string | null
  amount?: string | null
  offset?: string | null
  currency?: string | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_PlaceholderMessageResendResponse {
  webMessageInfoBytes?: Uint8Array | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_WaffleNonceFetchResponse {
  nonce?: string | null
  waEntFbid?: string | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_FullHistorySyncOnDemandRequestResponse {
  requestMetadata?: Message_FullHistorySyncOnDemandRequestMetadata | null
  responseCode?: number | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_CompanionMetaNonceFetchResponse {
  nonce?: string | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_SyncDSnapshotFatalRecoveryResponse {
  collectionSnapshot?: Uint8Array | null
  isCompressed?: boolean | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_CompanionCanonicalUserNonceFetchResponse {
  nonce?: string | null
  waFbid?: string | null
  forceRefresh?: boolean | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_HistorySyncChunkRetryResponse {
  syncType?: number | null
  chunkOrder?: number | null
  requestId?: string | null
  responseCode?: number | null
  canRecover?: boolean | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_FlowResponsesCsvBundle {
  flowId?: string | null
  galaxyFlowDownloadRequestId?: string | null
  fileName?: string | null
  mimetype?: string | null
  fileSha256?: Uint8Array | null
  mediaKey?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  fileLength?: Whole | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_BizBroadcastInsightsContactListResponse {
  campaignId?: string | null
  timestampMs?: Whole | null
  contacts?: Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_BizBroadcastInsightsContactState[] | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_BizBroadcastInsightsContactState {
  contactJid?: string | null
  state?: number | null
}

export interface Message_PeerDataOperationRequestResponseMessage_PeerDataOperationResult_ContactRefreshResponse {
  coveredRequestIds?: string[] | null
  collectionVersion?: Whole | null
  primaryDurationMs?: Whole | null
  uniqueContactCount?: number | null
}

export interface BotFeedbackMessage {
  messageKey?: MessageKey | null
  kind?: number | null
  text?: string | null
  kindNegative?: Whole | null
  kindPositive?: Whole | null
  kindReport?: number | null
  sideBySideSurveyMetadata?: BotFeedbackMessage_SideBySideSurveyMetadata | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata {
  selectedRequestId?: string | null
  surveyId?: number | null
  simonSessionFbid?: string | null
  responseOtid?: string | null
  responseTimestampMsString?: string | null
  isSelectedResponsePrimary?: boolean | null
  messageIdToEdit?: string | null
  analyticsData?: BotFeedbackMessage_SideBySideSurveyMetadata_SideBySideSurveyAnalyticsData | null
  metaAiAnalyticsData?: BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SideBySideSurveyAnalyticsData {
  tessaEvent?: string | null
  tessaSessionFbid?: string | null
  simonSessionFbid?: string | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData {
  surveyId?: number | null
  primaryResponseId?: string | null
  testArmName?: string | null
  timestampMsString?: string | null
  ctaImpressionEvent?: BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyCTAImpressionEventData | null
  ctaClickEvent?: BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyCTAClickEventData | null
  cardImpressionEvent?: BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyCardImpressionEventData | null
  responseEvent?: BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyResponseEventData | null
  abandonEvent?: BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyAbandonEventData | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyCTAImpressionEventData {
  isSurveyExpired?: boolean | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyCTAClickEventData {
  isSurveyExpired?: boolean | null
  clickDwellTimeMsString?: string | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyCardImpressionEventData {
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyResponseEventData {
  responseDwellTimeMsString?: string | null
  selectedResponseId?: string | null
}

export interface BotFeedbackMessage_SideBySideSurveyMetadata_SidebySideSurveyMetaAiAnalyticsData_SideBySideSurveyAbandonEventData {
  abandonDwellTimeMsString?: string | null
}

export interface Message_RequestWelcomeMessageMetadata {
  localChatState?: number | null
  welcomeTrigger?: number | null
  botAgentMetadata?: BotAgentMetadata | null
}

export interface BotAgentMetadata {
  deepLinkMetadata?: BotAgentDeepLinkMetadata | null
}

export interface BotAgentDeepLinkMetadata {
  token?: string | null
  clientPublicKey?: Uint8Array | null
}

export interface MediaNotifyMessage {
  expressPathUrl?: string | null
  fileEncSha256?: Uint8Array | null
  fileLength?: Whole | null
}

export interface Message_CloudAPIThreadControlNotification {
  status?: number | null
  senderNotificationTimestampMs?: Whole | null
  consumerLid?: string | null
  consumerPhoneNumber?: string | null
  notificationContent?: Message_CloudAPIThreadControlNotification_CloudAPIThreadControlNotificationContent | null
  shouldSuppressNotification?: boolean | null
}

export interface Message_CloudAPIThreadControlNotification_CloudAPIThreadControlNotificationContent {
  handoffNotificationText?: string | null
  extraJson?: string | null
}

export interface LIDMigrationMappingSyncMessage {
  encodedMappingPayload?: Uint8Array | null
}

export interface AIQueryFanout {
  messageKey?: MessageKey | null
  message?: Message | null
  timestamp?: Whole | null
}

export interface AIMediaCollectionMessage {
  collectionId?: string | null
  expectedMediaCount?: number | null
  hasGlobalCaption?: boolean | null
}

export interface Message_ChatThemeSetting {
  settingTimestampMs?: Whole | null
  clearTheme?: boolean | null
  colorSchemeId?: string | null
  defaultWallpaper?: Message_ChatDefaultWallpaper | null
  solidColor?: Message_ChatSolidColorWallpaper | null
  stockImage?: Message_ChatStockImageWallpaper | null
  customImage?: Message_ChatCustomImageWallpaper | null
}

export interface Message_ChatDefaultWallpaper {
  isDoodleEnabled?: boolean | null
}

export interface Message_ChatSolidColorWallpaper {
  colorLight?: string | null
  colorDark?: string | null
  isDoodleEnabled?: boolean | null
}

export interface Message_ChatStockImageWallpaper {
  stockImageId?: string | null
  dimLevel?: number | null
}

export interface Message_ChatCustomImageWallpaper {
  directPath?: string | null
  mediaKey?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  fileSha256?: Uint8Array | null
  dimLevel?: number | null
}

export interface AIMetadataOperation {
  hatchMetadataSync?: HatchMetadataSync | null
}

export interface HatchMetadataSync {
  data?: Uint8Array | null
  timestampMs?: Whole | null
  requestId?: string | null
}

export interface Message_MarkAsVerifiedAction {
  userJidString?: string | null
  verified?: boolean | null
  verifiedIdentityKey?: Uint8Array | null
  actionSeq?: Whole | null
}

export interface CoexStateSync {
  collectionMutations?: CoexStateSync_CollectionMutations[] | null
}

export interface CoexStateSync_CollectionMutations {
  collection?: string | null
  mutations?: CoexStateSync_Mutation[] | null
}

export interface CoexStateSync_Mutation {
  index?: SyncdIndex | null
  value?: SyncdValue | null
  dirtyVersion?: Whole | null
  operation?: number | null
}

export interface SyncdIndex {
  blob?: Uint8Array | null
}

export interface SyncdValue {
  blob?: Uint8Array | null
}

export interface Message_ContactsArrayMessage {
  displayName?: string | null
  contacts?: Message_ContactMessage[] | null
  contextInfo?: ContextInfo | null
}

export interface Message_HighlyStructuredMessage {
  namespace?: string | null
  elementName?: string | null
  params?: string[] | null
  fallbackLg?: string | null
  fallbackLc?: string | null
  localizableParams?: Message_HighlyStructuredMessage_HSMLocalizableParameter[] | null
  deterministicLg?: string | null
  deterministicLc?: string | null
  hydratedHsm?: Message_TemplateMessage | null
}

export interface Message_HighlyStructuredMessage_HSMLocalizableParameter {
  default?: string | null
  currency?: Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMCurrency | null
  dateTime?: Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMDateTime | null
}

export interface Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMCurrency {
  currencyCode?: string | null
  amount1000?: Whole | null
}

export interface Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMDateTime {
  component?: Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMDateTime_HSMDateTimeComponent | null
  unixEpoch?: Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMDateTime_HSMDateTimeUnixEpoch | null
}

export interface Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMDateTime_HSMDateTimeComponent {
  dayOfWeek?: number | null
  year?: number | null
  month?: number | null
  dayOfMonth?: number | null
  hour?: number | null
  minute?: number | null
  calendar?: number | null
}

export interface Message_HighlyStructuredMessage_HSMLocalizableParameter_HSMDateTime_HSMDateTimeUnixEpoch {
  timestamp?: Whole | null
}

export interface Message_TemplateMessage {
  contextInfo?: ContextInfo | null
  hydratedTemplate?: Message_TemplateMessage_HydratedFourRowTemplate | null
  templateId?: string | null
  fourRowTemplate?: Message_TemplateMessage_FourRowTemplate | null
  hydratedFourRowTemplate?: Message_TemplateMessage_HydratedFourRowTemplate | null
  interactiveMessageTemplate?: Message_InteractiveMessage | null
}

export interface Message_TemplateMessage_HydratedFourRowTemplate {
  hydratedContentText?: string | null
  hydratedFooterText?: string | null
  hydratedButtons?: HydratedTemplateButton[] | null
  templateId?: string | null
  maskLinkedDevices?: boolean | null
  documentMessage?: Message_DocumentMessage | null
  hydratedTitleText?: string | null
  imageMessage?: Message_ImageMessage | null
  videoMessage?: Message_VideoMessage | null
  locationMessage?: Message_LocationMessage | null
}

export interface HydratedTemplateButton {
  index?: number | null
  quickReplyButton?: HydratedTemplateButton_HydratedQuickReplyButton | null
  urlButton?: HydratedTemplateButton_HydratedURLButton | null
  callButton?: HydratedTemplateButton_HydratedCallButton | null
}

export interface HydratedTemplateButton_HydratedQuickReplyButton {
  displayText?: string | null
  id?: string | null
}

export interface HydratedTemplateButton_HydratedURLButton {
  displayText?: string | null
  url?: string | null
  consentedUsersUrl?: string | null
  webviewPresentation?: number | null
}

export interface HydratedTemplateButton_HydratedCallButton {
  displayText?: string | null
  phoneNumber?: string | null
}

export interface Message_TemplateMessage_FourRowTemplate {
  content?: Message_HighlyStructuredMessage | null
  footer?: Message_HighlyStructuredMessage | null
  buttons?: TemplateButton[] | null
  documentMessage?: Message_DocumentMessage | null
  highlyStructuredMessage?: Message_HighlyStructuredMessage | null
  imageMessage?: Message_ImageMessage | null
  videoMessage?: Message_VideoMessage | null
  locationMessage?: Message_LocationMessage | null
}

export interface TemplateButton {
  index?: number | null
  quickReplyButton?: TemplateButton_QuickReplyButton | null
  urlButton?: TemplateButton_URLButton | null
  callButton?: TemplateButton_CallButton | null
}

export interface TemplateButton_QuickReplyButton {
  displayText?: Message_HighlyStructuredMessage | null
  id?: string | null
}

export interface TemplateButton_URLButton {
  displayText?: Message_HighlyStructuredMessage | null
  url?: Message_HighlyStructuredMessage | null
}

export interface TemplateButton_CallButton {
  displayText?: Message_HighlyStructuredMessage | null
  phoneNumber?: Message_HighlyStructuredMessage | null
}

export interface Message_InteractiveMessage {
  header?: Message_InteractiveMessage_Header | null
  body?: Message_InteractiveMessage_Body | null
  footer?: Message_InteractiveMessage_Footer | null
  bloksWidget?: Message_InteractiveMessage_BloksWidget | null
  contextInfo?: ContextInfo | null
  urlTrackingMap?: UrlTrackingMap | null
  shopStorefrontMessage?: Message_InteractiveMessage_ShopMessage | null
  collectionMessage?: Message_InteractiveMessage_CollectionMessage | null
  nativeFlowMessage?: Message_InteractiveMessage_NativeFlowMessage | null
  carouselMessage?: Message_InteractiveMessage_CarouselMessage | null
}

export interface Message_InteractiveMessage_Header {
  title?: string | null
  subtitle?: string | null
  hasMediaAttachment?: boolean | null
  bloksWidget?: Message_InteractiveMessage_BloksWidget | null
  documentMessage?: Message_DocumentMessage | null
  imageMessage?: Message_ImageMessage | null
  jpegThumbnail?: Uint8Array | null
  videoMessage?: Message_VideoMessage | null
  locationMessage?: Message_LocationMessage | null
  productMessage?: Message_ProductMessage | null
}

export interface Message_InteractiveMessage_BloksWidget {
  uuid?: string | null
  data?: string | null
  type?: string | null
  fallback?: string | null
}

export interface Message_ProductMessage {
  product?: Message_ProductMessage_ProductSnapshot | null
  businessOwnerJid?: string | null
  catalog?: Message_ProductMessage_CatalogSnapshot | null
  body?: string | null
  footer?: string | null
  contextInfo?: ContextInfo | null
}

export interface Message_ProductMessage_ProductSnapshot {
  productImage?: Message_ImageMessage | null
  productId?: string | null
  title?: string | null
  description?: string | null
  currencyCode?: string | null
  priceAmount1000?: Whole | null
  retailerId?: string | null
  url?: string | null
  productImageCount?: number | null
  firstImageId?: string | null
  salePriceAmount1000?: Whole | null
  signedUrl?: string | null
}

export interface Message_ProductMessage_CatalogSnapshot {
  catalogImage?: Message_ImageMessage | null
  title?: string | null
  description?: string | null
}

export interface Message_InteractiveMessage_Body {
  text?: string | null
}

export interface Message_InteractiveMessage_Footer {
  text?: string | null
  hasMediaAttachment?: boolean | null
  audioMessage?: Message_AudioMessage | null
}

export interface Message_InteractiveMessage_ShopMessage {
  id?: string | null
  surface?: number | null
  messageVersion?: number | null
}

export interface Message_InteractiveMessage_CollectionMessage {
  bizJid?: string | null
  id?: string | null
  messageVersion?: number | null
}

export interface Message_InteractiveMessage_NativeFlowMessage {
  buttons?: Message_InteractiveMessage_NativeFlowMessage_NativeFlowButton[] | null
  messageParamsJson?: string | null
  messageVersion?: number | null
}

export interface Message_InteractiveMessage_NativeFlowMessage_NativeFlowButton {
  name?: string | null
  buttonParamsJson?: string | null
}

export interface Message_InteractiveMessage_CarouselMessage {
  cards?: Message_InteractiveMessage[] | null
  messageVersion?: number | null
  carouselCardType?: number | null
}

export interface Message_SendPaymentMessage {
  noteMessage?: Message | null
  requestMessageKey?: MessageKey | null
  background?: PaymentBackground | null
  transactionData?: string | null
}

export interface PaymentBackground {
  id?: string | null
  fileLength?: Whole | null
  width?: number | null
  height?: number | null
  mimetype?: string | null
  placeholderArgb?: number | null
  textArgb?: number | null
  subtextArgb?: number | null
  mediaData?: PaymentBackground_MediaData | null
  type?: number | null
}

export interface PaymentBackground_MediaData {
  mediaKey?: Uint8Array | null
  mediaKeyTimestamp?: Whole | null
  fileSha256?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  directPath?: string | null
}

export interface Message_LiveLocationMessage {
  degreesLatitude?: number | null
  degreesLongitude?: number | null
  accuracyInMeters?: number | null
  speedInMps?: number | null
  degreesClockwiseFromMagneticNorth?: number | null
  caption?: string | null
  sequenceNumber?: Whole | null
  timeOffset?: number | null
  jpegThumbnail?: Uint8Array | null
  contextInfo?: ContextInfo | null
}

export interface Message_RequestPaymentMessage {
  noteMessage?: Message | null
  currencyCodeIso4217?: string | null
  amount1000?: Whole | null
  requestFrom?: string | null
  expiryTimestamp?: Whole | null
  amount?: Money | null
  background?: PaymentBackground | null
}

export interface Money {
  value?: Whole | null
  offset?: number | null
  currencyCode?: string | null
}

export interface Message_DeclinePaymentRequestMessage {
  key?: MessageKey | null
}

export interface Message_CancelPaymentRequestMessage {
  key?: MessageKey | null
}

export interface Message_GroupInviteMessage {
  groupJid?: string | null
  inviteCode?: string | null
  inviteExpiration?: Whole | null
  groupName?: string | null
  jpegThumbnail?: Uint8Array | null
  caption?: string | null
  contextInfo?: ContextInfo | null
  groupType?: number | null
}

export interface Message_TemplateButtonReplyMessage {
  selectedId?: string | null
  selectedDisplayText?: string | null
  contextInfo?: ContextInfo | null
  selectedIndex?: number | null
  selectedCarouselCardIndex?: number | null
}

export interface Message_DeviceSentMessage {
  destinationJid?: string | null
  message?: Message | null
  phash?: string | null
}

export interface Message_ListMessage {
  title?: string | null
  description?: string | null
  buttonText?: string | null
  listType?: number | null
  sections?: Message_ListMessage_Section[] | null
  productListInfo?: Message_ListMessage_ProductListInfo | null
  footerText?: string | null
  contextInfo?: ContextInfo | null
}

export interface Message_ListMessage_Section {
  title?: string | null
  rows?: Message_ListMessage_Row[] | null
}

export interface Message_ListMessage_Row {
  title?: string | null
  description?: string | null
  rowId?: string | null
}

export interface Message_ListMessage_ProductListInfo {
  productSections?: Message_ListMessage_ProductSection[] | null
  headerImage?: Message_ListMessage_ProductListHeaderImage | null
  businessOwnerJid?: string | null
}

export interface Message_ListMessage_ProductSection {
  title?: string | null
  products?: Message_ListMessage_Product[] | null
}

export interface Message_ListMessage_Product {
  productId?: string | null
}

export interface Message_ListMessage_ProductListHeaderImage {
  productId?: string | null
  jpegThumbnail?: Uint8Array | null
}

export interface Message_FutureProofMessage {
  message?: Message | null
}

export interface Message_OrderMessage {
  orderId?: string | null
  thumbnail?: Uint8Array | null
  itemCount?: number | null
  status?: number | null
  surface?: number | null
  message?: string | null
  orderTitle?: string | null
  sellerJid?: string | null
  token?: string | null
  totalAmount1000?: Whole | null
  totalCurrencyCode?: string | null
  contextInfo?: ContextInfo | null
  messageVersion?: number | null
  orderRequestMessageId?: MessageKey | null
  catalogType?: string | null
}

export interface Message_ListResponseMessage {
  title?: string | null
  listType?: number | null
  singleSelectReply?: Message_ListResponseMessage_SingleSelectReply | null
  contextInfo?: ContextInfo | null
  description?: string | null
}

export interface Message_ListResponseMessage_SingleSelectReply {
  selectedRowId?: string | null
}

export interface Message_InvoiceMessage {
  note?: string | null
  token?: string | null
  attachmentType?: number | null
  attachmentMimetype?: string | null
  attachmentMediaKey?: Uint8Array | null
  attachmentMediaKeyTimestamp?: Whole | null
  attachmentFileSha256?: Uint8Array | null
  attachmentFileEncSha256?: Uint8Array | null
  attachmentDirectPath?: string | null
  attachmentJpegThumbnail?: Uint8Array | null
}

export interface Message_ButtonsMessage {
  contentText?: string | null
  footerText?: string | null
  contextInfo?: ContextInfo | null
  buttons?: Message_ButtonsMessage_Button[] | null
  headerType?: number | null
  text?: string | null
  documentMessage?: Message_DocumentMessage | null
  imageMessage?: Message_ImageMessage | null
  videoMessage?: Message_VideoMessage | null
  locationMessage?: Message_LocationMessage | null
}

export interface Message_ButtonsMessage_Button {
  buttonId?: string | null
  buttonText?: Message_ButtonsMessage_Button_ButtonText | null
  type?: number | null
  nativeFlowInfo?: Message_ButtonsMessage_Button_NativeFlowInfo | null
}

export interface Message_ButtonsMessage_Button_ButtonText {
  displayText?: string | null
}

export interface Message_ButtonsMessage_Button_NativeFlowInfo {
  name?: string | null
  paramsJson?: string | null
}

export interface Message_ButtonsResponseMessage {
  selectedButtonId?: string | null
  contextInfo?: ContextInfo | null
  type?: number | null
  selectedDisplayText?: string | null
}

export interface Message_PaymentInviteMessage {
  serviceType?: number | null
  expiryTimestamp?: Whole | null
  incentiveEligible?: boolean | null
  referralId?: string | null
  inviteType?: number | null
}

export interface Message_ReactionMessage {
  key?: MessageKey | null
  text?: string | null
  groupingKey?: string | null
  senderTimestampMs?: Whole | null
}

export interface Message_StickerSyncRMRMessage {
  filehash?: string[] | null
  rmrSource?: string | null
  requestTimestamp?: Whole | null
}

export interface Message_InteractiveResponseMessage {
  body?: Message_InteractiveResponseMessage_Body | null
  contextInfo?: ContextInfo | null
  nativeFlowResponseMessage?: Message_InteractiveResponseMessage_NativeFlowResponseMessage | null
}

export interface Message_InteractiveResponseMessage_Body {
  text?: string | null
  format?: number | null
}

export interface Message_InteractiveResponseMessage_NativeFlowResponseMessage {
  name?: string | null
  paramsJson?: string | null
  version?: number | null
}

export interface Message_PollCreationMessage {
  encKey?: Uint8Array | null
  name?: string | null
  options?: Message_PollCreationMessage_Option[] | null
  selectableOptionsCount?: number | null
  contextInfo?: ContextInfo | null
  pollContentType?: number | null
  pollType?: number | null
  correctAnswer?: Message_PollCreationMessage_Option | null
  endTime?: Whole | null
  hideParticipantName?: boolean | null
  allowAddOption?: boolean | null
}

export interface Message_PollCreationMessage_Option {
  optionName?: string | null
  optionHash?: string | null
}

export interface Message_PollUpdateMessage {
  pollCreationMessageKey?: MessageKey | null
  vote?: Message_PollEncValue | null
  metadata?: Message_PollUpdateMessageMetadata | null
  senderTimestampMs?: Whole | null
}

export interface Message_PollEncValue {
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
}

export interface Message_PollUpdateMessageMetadata {
  pollNameHash?: Uint8Array | null
  lastEditStanzaId?: string | null
}

export interface Message_KeepInChatMessage {
  key?: MessageKey | null
  keepType?: number | null
  timestampMs?: Whole | null
}

export interface Message_RequestPhoneNumberMessage {
  contextInfo?: ContextInfo | null
}

export interface Message_EncReactionMessage {
  targetMessageKey?: MessageKey | null
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
}

export interface Message_ScheduledCallCreationMessage {
  scheduledTimestampMs?: Whole | null
  callType?: number | null
  title?: string | null
}

export interface Message_PinInChatMessage {
  key?: MessageKey | null
  type?: number | null
  senderTimestampMs?: Whole | null
}

export interface Message_ScheduledCallEditMessage {
  key?: MessageKey | null
  editType?: number | null
}

export interface Message_CallLogMessage {
  isVideo?: boolean | null
  callOutcome?: number | null
  durationSecs?: Whole | null
  callType?: number | null
  participants?: Message_CallLogMessage_CallParticipant[] | null
}

export interface Message_CallLogMessage_CallParticipant {
  jid?: string | null
  callOutcome?: number | null
}

export interface Message_MessageHistoryBundle {
  mimetype?: string | null
  fileSha256?: Uint8Array | null
  mediaKey?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  directPath?: string | null
  mediaKeyTimestamp?: Whole | null
  contextInfo?: ContextInfo | null
  messageHistoryMetadata?: Message_MessageHistoryMetadata | null
}

export interface Message_MessageHistoryMetadata {
  historyReceivers?: string[] | null
  oldestMessageTimestampInWindow?: Whole | null
  messageCount?: Whole | null
  nonHistoryReceivers?: string[] | null
  oldestMessageTimestampInBundle?: Whole | null
}

export interface Message_EncCommentMessage {
  targetMessageKey?: MessageKey | null
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
}

export interface Message_BCallMessage {
  sessionId?: string | null
  mediaType?: number | null
  masterKey?: Uint8Array | null
  caption?: string | null
}

export interface Message_EventMessage {
  contextInfo?: ContextInfo | null
  isCanceled?: boolean | null
  name?: string | null
  description?: string | null
  location?: Message_LocationMessage | null
  joinLink?: string | null
  startTime?: Whole | null
  endTime?: Whole | null
  extraGuestsAllowed?: boolean | null
  isScheduleCall?: boolean | null
  hasReminder?: boolean | null
  reminderOffsetSec?: Whole | null
}

export interface Message_EncEventResponseMessage {
  eventCreationMessageKey?: MessageKey | null
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
}

export interface Message_CommentMessage {
  message?: Message | null
  targetMessageKey?: MessageKey | null
}

export interface Message_NewsletterAdminInviteMessage {
  newsletterJid?: string | null
  newsletterName?: string | null
  jpegThumbnail?: Uint8Array | null
  caption?: string | null
  inviteExpiration?: Whole | null
  contextInfo?: ContextInfo | null
}

export interface Message_PlaceholderMessage {
  type?: number | null
}

export interface Message_SecretEncryptedMessage {
  targetMessageKey?: MessageKey | null
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
  secretEncType?: number | null
  remoteKeyId?: string | null
}

export interface Message_AlbumMessage {
  expectedImageCount?: number | null
  expectedVideoCount?: number | null
  contextInfo?: ContextInfo | null
}

export interface Message_StickerPackMessage {
  stickerPackId?: string | null
  name?: string | null
  publisher?: string | null
  stickers?: Message_StickerPackMessage_Sticker[] | null
  fileLength?: Whole | null
  fileSha256?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
  mediaKey?: Uint8Array | null
  directPath?: string | null
  caption?: string | null
  contextInfo?: ContextInfo | null
  packDescription?: string | null
  mediaKeyTimestamp?: Whole | null
  trayIconFileName?: string | null
  thumbnailDirectPath?: string | null
  thumbnailSha256?: Uint8Array | null
  thumbnailEncSha256?: Uint8Array | null
  thumbnailHeight?: number | null
  thumbnailWidth?: number | null
  imageDataHash?: string | null
  stickerPackSize?: Whole | null
  stickerPackOrigin?: number | null
}

export interface Message_StickerPackMessage_Sticker {
  fileName?: string | null
  isAnimated?: boolean | null
  emojis?: string[] | null
  accessibilityLabel?: string | null
  isLottie?: boolean | null
  mimetype?: string | null
  premium?: number | null
}

export interface Message_PollResultSnapshotMessage {
  name?: string | null
  pollVotes?: Message_PollResultSnapshotMessage_PollVote[] | null
  contextInfo?: ContextInfo | null
  pollType?: number | null
}

export interface Message_PollResultSnapshotMessage_PollVote {
  optionName?: string | null
  optionVoteCount?: Whole | null
}

export interface AIRichResponseMessage {
  messageType?: number | null
  submessages?: AIRichResponseSubMessage[] | null
  unifiedResponse?: AIRichResponseUnifiedResponse | null
  contextInfo?: ContextInfo | null
}

export interface AIRichResponseSubMessage {
  messageType?: number | null
  gridImageMetadata?: AIRichResponseGridImageMetadata | null
  messageText?: string | null
  imageMetadata?: AIRichResponseInlineImageMetadata | null
  codeMetadata?: AIRichResponseCodeMetadata | null
  tableMetadata?: AIRichResponseTableMetadata | null
  dynamicMetadata?: AIRichResponseDynamicMetadata | null
  latexMetadata?: AIRichResponseLatexMetadata | null
  mapMetadata?: AIRichResponseMapMetadata | null
  contentItemsMetadata?: AIRichResponseContentItemsMetadata | null
}

export interface AIRichResponseGridImageMetadata {
  gridImageUrl?: AIRichResponseImageURL | null
  imageUrls?: AIRichResponseImageURL[] | null
}

export interface AIRichResponseImageURL {
  imagePreviewUrl?: string | null
  imageHighResUrl?: string | null
  sourceUrl?: string | null
}

export interface AIRichResponseInlineImageMetadata {
  imageUrl?: AIRichResponseImageURL | null
  imageText?: string | null
  alignment?: number | null
  tapLinkUrl?: string | null
}

export interface AIRichResponseCodeMetadata {
  codeLanguage?: string | null
  codeBlocks?: AIRichResponseCodeMetadata_AIRichResponseCodeBlock[] | null
}

export interface AIRichResponseCodeMetadata_AIRichResponseCodeBlock {
  highlightType?: number | null
  codeContent?: string | null
}

export interface AIRichResponseTableMetadata {
  rows?: AIRichResponseTableMetadata_AIRichResponseTableRow[] | null
  title?: string | null
}

export interface AIRichResponseTableMetadata_AIRichResponseTableRow {
  items?: string[] | null
  isHeading?: boolean | null
}

export interface AIRichResponseDynamicMetadata {
  type?: number | null
  version?: Whole | null
  url?: string | null
  loopCount?: number | null
}

export interface AIRichResponseLatexMetadata {
  text?: string | null
  expressions?: AIRichResponseLatexMetadata_AIRichResponseLatexExpression[] | null
}

export interface AIRichResponseLatexMetadata_AIRichResponseLatexExpression {
  latexExpression?: string | null
  url?: string | null
  width?: number | null
  height?: number | null
  fontHeight?: number | null
  imageTopPadding?: number | null
  imageLeadingPadding?: number | null
  imageBottomPadding?: number | null
  imageTrailingPadding?: number | null
}

export interface AIRichResponseMapMetadata {
  centerLatitude?: number | null
  centerLongitude?: number | null
  latitudeDelta?: number | null
  longitudeDelta?: number | null
  annotations?: AIRichResponseMapMetadata_AIRichResponseMapAnnotation[] | null
  showInfoList?: boolean | null
}

export interface AIRichResponseMapMetadata_AIRichResponseMapAnnotation {
  annotationNumber?: number | null
  latitude?: number | null
  longitude?: number | null
  title?: string | null
  body?: string | null
}

export interface AIRichResponseContentItemsMetadata {
  itemsMetadata?: AIRichResponseContentItemsMetadata_AIRichResponseContentItemMetadata[] | null
  contentType?: number | null
}

export interface AIRichResponseContentItemsMetadata_AIRichResponseContentItemMetadata {
  reelItem?: AIRichResponseContentItemsMetadata_AIRichResponseReelItem | null
}

export interface AIRichResponseContentItemsMetadata_AIRichResponseReelItem {
  title?: string | null
  profileIconUrl?: string | null
  thumbnailUrl?: string | null
  videoUrl?: string | null
}

export interface AIRichResponseUnifiedResponse {
  data?: Uint8Array | null
}

export interface Message_StatusNotificationMessage {
  responseMessageKey?: MessageKey | null
  originalMessageKey?: MessageKey | null
  type?: number | null
}

export interface Message_MessageHistoryNotice {
  contextInfo?: ContextInfo | null
  messageHistoryMetadata?: Message_MessageHistoryMetadata | null
  botHistoryShareSyncMetadata?: Message_BotHistoryShareSyncMetadata | null
}

export interface Message_BotHistoryShareSyncMetadata {
  botJid?: string | null
  historyShareCutoffTimestamp?: Whole | null
  historyShareMessages?: Message_HistoryShareMessageEntry[] | null
}

export interface Message_HistoryShareMessageEntry {
  stanzaId?: string | null
  messageSecretProof?: Uint8Array | null
}

export interface Message_StatusQuestionAnswerMessage {
  key?: MessageKey | null
  text?: string | null
}

export interface Message_QuestionResponseMessage {
  key?: MessageKey | null
  text?: string | null
}

export interface Message_StatusQuotedMessage {
  type?: number | null
  text?: string | null
  thumbnail?: Uint8Array | null
  originalStatusId?: MessageKey | null
}

export interface Message_StatusStickerInteractionMessage {
  key?: MessageKey | null
  stickerKey?: string | null
  type?: number | null
}

export interface Message_NewsletterFollowerInviteMessage {
  newsletterJid?: string | null
  newsletterName?: string | null
  jpegThumbnail?: Uint8Array | null
  caption?: string | null
  contextInfo?: ContextInfo | null
}

export interface Message_ConditionalRevealMessage {
  encPayload?: Uint8Array | null
  encIv?: Uint8Array | null
  conditionalRevealMessageType?: number | null
  revealKeyId?: string | null
}

export interface Message_PollAddOptionMessage {
  pollCreationMessageKey?: MessageKey | null
  addOption?: Message_PollCreationMessage_Option | null
  metadata?: Message_PollUpdateMessageMetadata | null
}

export interface Message_EventInviteMessage {
  contextInfo?: ContextInfo | null
  eventId?: string | null
  eventTitle?: string | null
  jpegThumbnail?: Uint8Array | null
  startTime?: Whole | null
  caption?: string | null
  isCanceled?: boolean | null
  endTime?: Whole | null
  callLink?: string | null
}

export interface GroupRootKeyShare {
  keys?: GroupRootKeyShareEntry[] | null
}

export interface GroupRootKeyShareEntry {
  groupRootKey?: Uint8Array | null
  keyId?: string | null
  expiryTimestampMs?: Whole | null
  createdTimestampMs?: Whole | null
}

export interface Message_PaymentReminderMessage {
  reminderId?: string | null
  instanceId?: string | null
  description?: string | null
  frequency?: number | null
  status?: number | null
  payeeVpa?: string | null
  payeeJid?: string | null
  payerJid?: string | null
  amount?: Money | null
}

export interface Message_SplitPaymentMessage {
  splitId?: string | null
  totalAmount?: Money | null
  description?: string | null
  requesterJid?: string | null
  participants?: Message_SplitPaymentParticipant[] | null
  createdAtMs?: Whole | null
  contextInfo?: ContextInfo | null
}

export interface Message_SplitPaymentParticipant {
  jid?: string | null
  amount?: Money | null
  status?: number | null
}

export interface Message_RootSecretDistributeMessage {
  chatJid?: string | null
}

export interface Message_SplitPaymentUpdateMessage {
  splitId?: string | null
  participantJid?: string | null
}

export interface Message_MusicMessage {
  embeddedMusic?: EmbeddedMusic | null
  songUri?: string | null
  artworkUri?: string | null
  style?: number | null
  contextInfo?: ContextInfo | null
}

export interface Message_StatusLinkPreviewMetadata {
  style?: number | null
}

export interface WebMessageInfo {
  key?: MessageKey | null
  message?: Message | null
  messageTimestamp?: Whole | null
  status?: number | null
  participant?: string | null
  messageC2STimestamp?: Whole | null
  ignore?: boolean | null
  starred?: boolean | null
  broadcast?: boolean | null
  pushName?: string | null
  mediaCiphertextSha256?: Uint8Array | null
  multicast?: boolean | null
  urlText?: boolean | null
  urlNumber?: boolean | null
  messageStubType?: number | null
  clearMedia?: boolean | null
  messageStubParameters?: string[] | null
  duration?: number | null
  labels?: string[] | null
  paymentInfo?: PaymentInfo | null
  finalLiveLocation?: Message_LiveLocationMessage | null
  quotedPaymentInfo?: PaymentInfo | null
  ephemeralStartTimestamp?: Whole | null
  ephemeralDuration?: number | null
  ephemeralOffToOn?: boolean | null
  ephemeralOutOfSync?: boolean | null
  bizPrivacyStatus?: number | null
  verifiedBizName?: string | null
  mediaData?: MediaData | null
  photoChange?: PhotoChange | null
  userReceipt?: UserReceipt[] | null
  reactions?: Reaction[] | null
  quotedStickerData?: MediaData | null
  futureproofData?: Uint8Array | null
  statusPsa?: StatusPSA | null
  pollUpdates?: PollUpdate[] | null
  pollAdditionalMetadata?: PollAdditionalMetadata | null
  agentId?: string | null
  statusAlreadyViewed?: boolean | null
  messageSecret?: Uint8Array | null
  keepInChat?: KeepInChat | null
  originalSelfAuthorUserJidString?: string | null
  revokeMessageTimestamp?: Whole | null
  pinInChat?: PinInChat | null
  premiumMessageInfo?: PremiumMessageInfo | null
  is1PBizBotMessage?: boolean | null
  isGroupHistoryMessage?: boolean | null
  botMessageInvokerJid?: string | null
  commentMetadata?: CommentMetadata | null
  eventResponses?: EventResponse[] | null
  reportingTokenInfo?: ReportingTokenInfo | null
  newsletterServerId?: Whole | null
  eventAdditionalMetadata?: EventAdditionalMetadata | null
  isMentionedInStatus?: boolean | null
  statusMentions?: string[] | null
  targetMessageId?: MessageKey | null
  messageAddOns?: MessageAddOn[] | null
  statusMentionMessageInfo?: StatusMentionMessage | null
  isSupportAiMessage?: boolean | null
  statusMentionSources?: string[] | null
  supportAiCitations?: Citation[] | null
  botTargetId?: string | null
  groupHistoryIndividualMessageInfo?: GroupHistoryIndividualMessageInfo | null
  groupHistoryBundleInfo?: GroupHistoryBundleInfo | null
  interactiveMessageAdditionalMetadata?: InteractiveMessageAdditionalMetadata | null
  quarantinedMessage?: QuarantinedMessage | null
  nonJidMentions?: number | null
  hsmTag?: string | null
  ephemeralExpirationTimestamp?: Whole | null
  scheduledMessageMetadata?: ScheduledMessageMetadata | null
  decisionId?: string | null
  decisionSources?: string[] | null
}

export interface PaymentInfo {
  currencyDeprecated?: number | null
  amount1000?: Whole | null
  receiverJid?: string | null
  status?: number | null
  transactionTimestamp?: Whole | null
  requestMessageKey?: MessageKey | null
  expiryTimestamp?: Whole | null
  futureproofed?: boolean | null
  currency?: string | null
  txnStatus?: number | null
  useNoviFiatFormat?: boolean | null
  primaryAmount?: Money | null
  exchangeAmount?: Money | null
}

export interface MediaData {
  localPath?: string | null
}

export interface PhotoChange {
  oldPhoto?: Uint8Array | null
  newPhoto?: Uint8Array | null
  newPhotoId?: number | null
}

export interface UserReceipt {
  userJid?: string | null
  receiptTimestamp?: Whole | null
  readTimestamp?: Whole | null
  playedTimestamp?: Whole | null
  pendingDeviceJid?: string[] | null
  deliveredDeviceJid?: string[] | null
}

export interface Reaction {
  key?: MessageKey | null
  text?: string | null
  groupingKey?: string | null
  senderTimestampMs?: Whole | null
  unread?: boolean | null
}

export interface StatusPSA {
  campaignId?: Whole | null
  campaignExpirationTimestamp?: Whole | null
}

export interface PollUpdate {
  pollUpdateMessageKey?: MessageKey | null
  vote?: Message_PollVoteMessage | null
  senderTimestampMs?: Whole | null
  serverTimestampMs?: Whole | null
  unread?: boolean | null
  metadata?: Message_PollUpdateMessageMetadata | null
}

export interface Message_PollVoteMessage {
  selectedOptions?: Uint8Array[] | null
}

export interface PollAdditionalMetadata {
  pollInvalidated?: boolean | null
  pollNameHashHistory?: PollAdditionalMetadata_PollNameHashHistoryEntry[] | null
}

export interface PollAdditionalMetadata_PollNameHashHistoryEntry {
  editStanzaId?: string | null
  pollNameHash?: Uint8Array | null
}

export interface KeepInChat {
  keepType?: number | null
  serverTimestamp?: Whole | null
  key?: MessageKey | null
  deviceJid?: string | null
  clientTimestampMs?: Whole | null
  serverTimestampMs?: Whole | null
}

export interface PinInChat {
  type?: number | null
  key?: MessageKey | null
  senderTimestampMs?: Whole | null
  serverTimestampMs?: Whole | null
  messageAddOnContextInfo?: MessageAddOnContextInfo | null
}

export interface MessageAddOnContextInfo {
  messageAddOnDurationInSecs?: number | null
  messageAddOnExpiryType?: number | null
}

export interface PremiumMessageInfo {
  serverCampaignId?: string | null
}

export interface CommentMetadata {
  commentParentKey?: MessageKey | null
  replyCount?: number | null
}

export interface EventResponse {
  eventResponseMessageKey?: MessageKey | null
  timestampMs?: Whole | null
  eventResponseMessage?: Message_EventResponseMessage | null
  unread?: boolean | null
}

export interface Message_EventResponseMessage {
  response?: number | null
  timestampMs?: Whole | null
  extraGuestCount?: number | null
}

export interface ReportingTokenInfo {
  reportingTag?: Uint8Array | null
  reportingTagTimestamp?: Whole | null
}

export interface EventAdditionalMetadata {
  isStale?: boolean | null
}

export interface MessageAddOn {
  messageAddOnType?: number | null
  messageAddOn?: Message | null
  senderTimestampMs?: Whole | null
  serverTimestampMs?: Whole | null
  status?: number | null
  addOnContextInfo?: MessageAddOnContextInfo | null
  messageAddOnKey?: MessageKey | null
  legacyMessage?: LegacyMessage | null
}

export interface LegacyMessage {
  eventResponseMessage?: Message_EventResponseMessage | null
  pollVote?: Message_PollVoteMessage | null
}

export interface StatusMentionMessage {
  quotedStatus?: Message | null
}

export interface Citation {
  title?: string | null
  subtitle?: string | null
  cmsId?: string | null
  imageUrl?: string | null
}

export interface GroupHistoryIndividualMessageInfo {
  bundleMessageKey?: MessageKey | null
  editedAfterReceivedAsHistory?: boolean | null
}

export interface GroupHistoryBundleInfo {
  deprecatedMessageHistoryBundle?: Message_MessageHistoryBundle | null
  processState?: number | null
}

export interface InteractiveMessageAdditionalMetadata {
  isGalaxyFlowCompleted?: boolean | null
}

export interface QuarantinedMessage {
  originalData?: Uint8Array | null
  extractedText?: string | null
}

export interface ScheduledMessageMetadata {
  revealKeyId?: string | null
  revealKey?: Uint8Array | null
  scheduledTime?: Whole | null
}

export interface HistorySyncMsg {
  message?: WebMessageInfo | null
  msgOrderId?: Whole | null
}
