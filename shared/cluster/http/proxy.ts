import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net';
import { CredentialsError } from '../cluster-errors.ts';
import { within } from '../time-limit.ts';

// biome-ignore lint/style/noProcessEnv: the variables that curl, Go and kubectl read.
const environment = process.env;

/** Interprets `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` as Go's net/http does. */
export function proxyFor(server: URL, env = environment): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isExcepted(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return parseProxy(proxy, name);
}

const protocols: readonly string[] = ['http:', 'https:', 'socks5:', 'socks5h:'];

/** Names the `setting` instead of the address in an error, because the address may contain a password. */
export function parseProxy(address: string, setting: string): URL {
  const proxy = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (proxy?.hostname && protocols.includes(proxy.protocol)) return proxy;
  throw new CredentialsError(
    `${setting} is not the address of an http, https or socks5 proxy; write it as http://HOST:PORT`,
  );
}

/** Follows Go's rules for NO_PROXY. No npm package follows them completely. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = withoutBrackets(hostname);
  if (host === 'localhost' || isIn(host, '127.0.0.0', 8) || isIn(host, '::1', 128)) return true;
  const actual = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry === '*' || covers(entry, host, actual));
}

function covers(entry: string, host: string, actual: string): boolean {
  const [, base, bits] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (base !== undefined) return isIn(host, base, Number(bits));
  // Several colons without brackets are an IPv6 address without a port.
  const [, name = entry, port = ''] = /^(\[.+\]|[^:]+)(?::([^:]*))?$/.exec(entry) ?? [];
  if (name === '' || (port !== '' && port !== actual)) return false;
  const address = withoutBrackets(name);
  if (isIPv4(address)) return isIn(host, address, 32);
  if (isIPv6(address)) return isIn(host, address, 128);
  const domain = name.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : `.${host}`.endsWith(`.${domain}`);
}

function isIn(host: string, base: string, bits: number): boolean {
  const [family, of] = [familyOf(host), familyOf(base)];
  if (family === undefined || of === undefined || bits > (of === 'ipv4' ? 32 : 128)) return false;
  const range = new BlockList();
  range.addSubnet(base, bits, of);
  return range.check(host, family);
}

const familyOf = (host: string): 'ipv4' | 'ipv6' | undefined =>
  isIPv4(host) ? 'ipv4' : isIPv6(host) ? 'ipv6' : undefined;

export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

interface ProxyAgentOptions extends AgentOptions {
  /** Aborts tunnels that are being opened: the agent's `destroy` does not reach them. */
  readonly closed?: AbortSignal;
  readonly connectMs?: number;
}

export function openAgent(
  protocol: string,
  proxy: URL | undefined,
  { closed, connectMs = 30_000, ...options }: ProxyAgentOptions = {},
): HttpAgent {
  const agent = new (protocol === 'https:' ? HttpsAgent : HttpAgent)(options);
  if (proxy === undefined) return agent;
  const connect = agent.createConnection.bind(agent) as (target: object) => Socket;
  agent.createConnection = (target, done) => {
    const { host, port } = target;
    const late = (): Error => new Error(`the proxy did not connect within ${connectMs / 1000} s`);
    const open = (signal: AbortSignal): Promise<Socket> => {
      const either = closed === undefined ? signal : AbortSignal.any([signal, closed]);
      return tunnel(proxy, { host: `${host}`, port: Number(port) }, either);
    };
    within(connectMs, open, late)
      .then((socket) => (protocol === 'https:' ? connect({ ...target, socket }) : socket))
      .then((socket) => done?.(null, socket))
      .catch((error: Error) => (done as (error: Error) => void)(error));
    return undefined;
  };
  return agent;
}

export function agentTo(server: string, proxy: URL | undefined): HttpAgent {
  const url = new URL(server);
  return openAgent(url.protocol, proxy ?? proxyFor(url));
}

/** Refuses a proxy that sends bytes after its 200 response. */
async function tunnel(proxy: URL, to: { host: string; port: number }, signal: AbortSignal) {
  const [username = '', password = ''] = [proxy.username, proxy.password].map(decodeURIComponent);
  const proxyHost = withoutBrackets(proxy.hostname);
  if (proxy.protocol.startsWith('socks')) {
    // Imports the module only here, because few installations use a SOCKS proxy.
    const { SocksClient } = await import('socks');
    const port = Number(proxy.port || 1080);
    // As in Go, the proxy resolves the server's name.
    const { socket } = await SocksClient.createConnection({
      proxy: { host: proxyHost, port, type: 5, userId: username, password },
      command: 'connect',
      destination: to,
    });
    if (signal.aborted) socket.destroy();
    return socket;
  }
  const target = `${isIPv6(to.host) ? `[${to.host}]` : to.host}:${to.port}`;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const connect = (proxy.protocol === 'https:' ? requestHttps : requestHttp)({
    protocol: proxy.protocol,
    host: proxyHost,
    port: proxy.port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(username && { 'proxy-authorization': `Basic ${basic}` }) },
    agent: false,
    signal,
  });
  return new Promise<Socket>((resolve, reject) => {
    connect
      .on('connect', ({ statusCode }, socket, rest) => {
        if (statusCode === 200 && rest.length === 0) return resolve(socket as Socket);
        socket.destroy();
        reject(new Error(`the proxy refused to connect: HTTP ${statusCode}`));
      })
      .on('error', reject)
      .on('close', () => reject(new Error('the proxy closed the connection')))
      .end();
  });
}
