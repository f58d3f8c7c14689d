import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A command of the kubeconfig that prints credentials (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
}

export interface PluginCredential {
  readonly token: string | undefined;
  /** PEM; set together with `key`. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Longer than a plugin needs that only requests a token. */
const timeoutMs = 30_000;

/**
 * Runs an exec plugin without a terminal.
 *
 * Guarantees: a plugin that takes too long is killed. An error contains the command and its exit code,
 * never its output, which may contain a token.
 * Caveats: processes that a killed plugin has started are not killed.
 */
export async function runPlugin(
  plugin: ExecPlugin,
  limitMs = timeoutMs,
): Promise<PluginCredential> {
  const { command = '', args, env, apiVersion } = plugin;
  if (command === '') throw new Error('the exec plugin has no command');
  const request = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const running = promisify(execFile)(command, [...(args ?? [])], {
    env: {
      // biome-ignore lint/style/noProcessEnv: a plugin gets the environment that it would have in a shell.
      ...process.env,
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(request),
    },
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 1024 * 1024,
  });
  running.child.stdin?.end();
  const { stdout } = await running.catch((cause: Failure) => {
    throw new Error(`the exec plugin ${command} ${failureOf(cause, limitMs)}`);
  });
  return credentialIn(stdout, command);
}

interface Failure {
  /** The exit code, or the error's code if the process did not exit by itself. */
  readonly code?: number | string | null;
  readonly signal?: string | null;
  readonly killed?: boolean;
}

function failureOf({ code, signal, killed }: Failure, limitMs: number): string {
  if (code === 'ENOENT') return 'is not installed (ENOENT)';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed too much';
  if (killed === true) return `did not end within ${limitMs / 1000} s`;
  if (typeof code === 'number') return `failed with exit code ${code}; run it by hand to see why`;
  return `failed (${code ?? signal ?? 'unknown'})`;
}

function credentialIn(text: string, command: string): PluginCredential {
  const { status } = (parse(text) ?? {}) as { readonly status?: Readonly<Record<string, unknown>> };
  const [token, certificate, key, expiry] = [
    'token',
    'clientCertificateData',
    'clientKeyData',
    'expirationTimestamp',
  ].map((name) => {
    const value = status?.[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  });
  if ((certificate === undefined) !== (key === undefined))
    throw new Error(`the exec plugin ${command} printed only one of certificate and key`);
  if (token === undefined && certificate === undefined)
    throw new Error(
      `the exec plugin ${command} printed no ExecCredential with a token or certificate`,
    );
  const expiresAt = expiry === undefined ? Number.NaN : Date.parse(expiry);
  return { token, certificate, key, expiresAt: Number.isNaN(expiresAt) ? Infinity : expiresAt };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
