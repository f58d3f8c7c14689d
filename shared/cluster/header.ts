/** Whether this is a valid header value (RFC 9110, 5.5). */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

/** Accepts of an object only its metadata. */
export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
