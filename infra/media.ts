/** Media on their way from a session host to a customer: the network keeps them longer than we do. */
export const media = new sst.aws.Bucket("Media", {
  // "From the cache for 3 hours": whoever reads compares the age; a day is S3's least, and only cleans up.
  lifecycle: [{ expiresIn: "1 day" }],
  // Read by functions, never by browsers.
  cors: false,
})
