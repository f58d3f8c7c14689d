import { type ExecFileException, execFile } from 'node:child_process';
import { resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { type JsonFields, listAt, parseJson, textAt } from '../../json.ts';

export interface PluginCredential {
  readonly token: string | undefined;
  /** In PEM; set together with `key`. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** In milliseconds since the epoch; Infinity if the plugin does not say. */
  readonly expiresAt: number;
}

/**
 * Runs an exec plugin (client.authentication.k8s.io) without a terminal.
 *
 * Guarantees: kills a plugin that takes too long. No error contains its output, which may contain a token.
 * Caveats: child processes of a killed plugin keep running. Ignores `provideClusterInfo`.
 */
export async function runPlugin(
  plugin: JsonFields,
  directory: string,
  limitMs = 30_000,
): Promise<PluginCredential> {
  const { apiVersion, interactiveMode } = plugin;
  const [command, installHint] = ['command', 'installHint'].map((name) => textAt(plugin, name));
  if (command === undefined) throw new Error('the exec plugin has no command');
  if (interactiveMode === 'Always')
    throw new Error(`the exec plugin ${command} needs a terminal (interactiveMode: Always)`);
  const file = command.includes(sep) ? resolve(directory, command) : command;
  const request = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const running = promisify(execFile)(file, listAt(plugin, 'args').map(String), {
    env: {
      // biome-ignore lint/style/noProcessEnv: a plugin gets the environment that it would have in a shell.
      ...process.env,
      ...Object.fromEntries(
        listAt(plugin, 'env').map((one) => [textAt(one, 'name'), textAt(one, 'value')]),
      ),
      KUBERNETES_EXEC_INFO: JSON.stringify(request),
    },
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: 1024 * 1024,
  });
  running.child.stdin?.end();
  const { stdout } = await running.catch((cause: ExecFileException) => {
    const hint = cause.code === 'ENOENT' && installHint ? `: ${installHint}` : '';
    throw new Error(`the exec plugin ${file} ${failureOf(cause, limitMs)}${hint}`);
  });
  return credentialIn(stdout, file);
}

function failureOf({ code, signal, killed }: ExecFileException, limitMs: number): string {
  if (code === 'ENOENT') return 'is not installed (ENOENT)';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed more than 1 MiB';
  if (killed === true) return `did not end within ${limitMs / 1000} s`;
  if (typeof code === 'number') return `failed with exit code ${code}; run it by hand to see why`;
  return `failed (${code ?? signal ?? 'unknown'})`;
}

function credentialIn(text: string, command: string): PluginCredential {
  const printed = parseJson(text);
  const [token, certificate, key, expiry] = [
    'token',
    'clientCertificateData',
    'clientKeyData',
    'expirationTimestamp',
  ].map((name) => textAt(printed, 'status', name));
  if (token === undefined && certificate === undefined)
    throw new Error(
      `the exec plugin ${command} printed no ExecCredential with a token or certificate`,
    );
  return { token, certificate, key, expiresAt: Date.parse(expiry ?? '') || Infinity };
}
