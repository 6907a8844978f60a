/** The logs that customers see: a stream for each bridge, kept for as long as on one machine. */
export const bridgeLogs = new aws.cloudwatch.LogGroup("BridgeLogs", {
  name: `/${$app.name}/${$app.stage}/bridges`,
  retentionInDays: 14,
})

/** Its streams, as IAM names them. */
export const bridgeStreams = $interpolate`${bridgeLogs.arn}:log-stream:*`
