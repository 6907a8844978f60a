/** Media on their way from a session host to a customer: the network keeps them longer than we do. */
export const media = new sst.aws.Bucket("Media", {
  // "From the cache for 3 hours": whoever reads compares the age; a day is S3's least, and only cleans up.
  lifecycle: [{ expiresIn: "1 day" }],
  transform: {
    lifecycle: (args) => {
      args.rules = $util.output(args.rules).apply((rules) => [
        ...(rules ?? []),
        // Uploads in parts, of hosts that died over them.
        { id: "Unfinished", status: "Enabled", abortIncompleteMultipartUpload: { daysAfterInitiation: 1 } },
      ])
    },
  },
  // Read by functions, never by browsers.
  cors: false,
})
