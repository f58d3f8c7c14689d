/** Whether this is a valid header value (RFC 9110, 5.5). */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
