import { type FunctionProcess, startFunction } from '../../infra/start/functions/load-function.ts';
import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import type { Report } from '../../shared/resync/report.ts';
import { configFile } from '../support/config.ts';
import type { Journal } from './journal.ts';

type Target = 'resync' | 'audit';
type Environment = Readonly<Record<string, string>>;

export interface FunctionResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The functions in separate processes, at constant addresses. */
export interface Functions {
  url(target: Target): URL;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Posts a reconcile request to the resync function, or to one at another address; resolves with the report. */
  resync(request?: ReconcileRequest, to?: URL): Promise<Report>;
  send(to: URL, request: RequestInit): Promise<FunctionResponse>;
  post(target: Target, body: unknown): Promise<FunctionResponse>;
  /** Starts another function with its own settings and, optionally, configuration; the caller stops it. */
  another(target: Target, env: Environment, config?: string): Promise<FunctionProcess>;
}

export const authUrl = 'https://auth.example.com/check';

/** Settings; the resync function does not wait for readiness, so that a scenario can observe single runs. */
const settings: Readonly<Record<Target, Environment>> = {
  resync: { SETTLE_SECONDS: '0' },
  // Users may be named, because only the audit log of the API server is delivered here.
  audit: { ATTRIBUTE_REPAIRS: 'true' },
};

/** Returns the module that registers a function. */
export type Code = (target: Target) => URL;

export function createFunctions(env: Environment, journal: Journal, code?: Code): Functions {
  const running = new Map<Target, FunctionProcess>();
  const urls = new Map<Target, URL>();

  const sourceOf = (target: Target) =>
    code === undefined ? { config: configFile } : { code: code(target) };

  const begin = (
    { target, port, config }: { target: Target; port: number; config?: string | undefined },
    own: Environment,
  ): Promise<FunctionProcess> =>
    startFunction({
      target,
      port,
      source: config === undefined ? sourceOf(target) : { config },
      env: { PATH: process.env.PATH, LOG_LEVEL: 'DEBUG', AUTH_URL: authUrl, ...env, ...own },
      onLine: (line) => journal.log(target, line),
      onExit: () => journal.log(target, 'ended by itself'),
    });
  const url = (target: Target): URL => {
    const known = urls.get(target);
    if (known === undefined) throw new Error(`the ${target} function was never started`);
    return known;
  };
  const send: Functions['send'] = async (to, request) => {
    const response = await fetch(to, { method: 'POST', ...request });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  };

  return {
    url,
    send,
    post: (target, body) => send(url(target), json(body)),
    another: (target, own, config) => begin({ target, port: 0, config }, own),
    async start() {
      await Promise.all(
        (['resync', 'audit'] as const).map(async (target) => {
          const port = Number(urls.get(target)?.port ?? 0);
          const started = await begin({ target, port }, settings[target]);
          running.set(target, started);
          urls.set(target, started.url);
        }),
      );
    },
    async stop() {
      await Promise.all([...running.values()].map((one) => one.stop()));
      running.clear();
    },
    async resync(request = {}, to = url('resync')) {
      const { status, body } = await send(to, json(request));
      if (status === 200) return body as Report;
      throw new Error(`the resync returned ${status}: ${JSON.stringify(body)}`);
    },
  };
}

export const json = (body: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
