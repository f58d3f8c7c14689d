/** Whether HTTP can carry this (RFC 9110, 5.5); undici takes a socket out of use for ever when it cannot. */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
