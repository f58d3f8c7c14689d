const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether requests to this address leave the machine without TLS. */
export function isUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !loopback.test(hostname);
}
