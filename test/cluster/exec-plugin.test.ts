import { describe, expect, it } from 'vitest';
import { runPlugin } from '../../shared/cluster/credentials/exec-plugin.ts';
import { casesOf } from '../support/cases.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const shell = (script: string) => ({ apiVersion, command: '/bin/sh', args: ['-c', script] });
const printing = (status: unknown) => shell(`cat <<'END'\n${JSON.stringify({ status })}\nEND`);

const given = {
  Token: {
    reason: 'a token needs no certificate',
    given: printing({ token: 't' }),
    want: { token: 't', certificate: undefined, key: undefined },
  },
  Certificate: {
    reason: 'a certificate replaces the token',
    given: printing({ clientCertificateData: 'c', clientKeyData: 'k' }),
    want: { token: undefined, certificate: 'c', key: 'k' },
  },
  Asked: {
    reason: 'a plugin receives the API version and interactive=false',
    given: shell(`printf '{"status":{"token":"%s"}}' "$(echo "$KUBERNETES_EXEC_INFO" | tr '"' ,)"`),
    want: {
      token: `{,apiVersion,:,${apiVersion},,,kind,:,ExecCredential,,,spec,:{,interactive,:false}}`,
    },
  },
  Environment: {
    reason: 'env is added to the environment of the process',
    given: {
      ...shell(`test -n "$PATH" && printf '{"status":{"token":"%s"}}' "$PROFILE"`),
      env: [{ name: 'PROFILE', value: 'p' }],
    },
    want: { token: 'p' },
  },
  Input: {
    reason: 'a plugin that prompts reads the end of input',
    given: shell(`read answer; printf '{"status":{"token":"t%s"}}' "$answer"`),
    want: { token: 't' },
  },
};

describe('an exec plugin gives', () => {
  it.each(casesOf(given))('%s', async (_, { given: plugin, want }) => {
    expect(await runPlugin(plugin, '/')).toMatchObject(want);
  });
});

const failures = {
  Missing: {
    reason: 'the plugin is not installed',
    given: { command: 'no-such-plugin' },
    want: 'the exec plugin no-such-plugin is not installed (ENOENT)',
  },
  Hint: {
    reason: 'installHint is quoted',
    given: { command: 'no-such-plugin', installHint: 'get it from example.com' },
    want: 'the exec plugin no-such-plugin is not installed (ENOENT): get it from example.com',
  },
  Terminal: {
    reason: 'the plugin would wait for input',
    given: { ...shell('exit 0'), interactiveMode: 'Always' },
    want: 'the exec plugin /bin/sh needs a terminal (interactiveMode: Always)',
  },
  Unnamed: { reason: 'the command is missing', given: {}, want: 'the exec plugin has no command' },
  ExitCode: {
    reason: 'the output of the plugin is not shown',
    given: shell('echo secret >&2; exit 3'),
    want: 'the exec plugin /bin/sh failed with exit code 3; run it by hand to see why',
  },
  Killed: {
    reason: 'the plugin was killed by a signal',
    given: shell('kill -9 $$'),
    want: 'the exec plugin /bin/sh failed (SIGKILL)',
  },
  Silent: {
    reason: 'the plugin hangs without a terminal',
    given: { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 20_000)'] },
    want: `the exec plugin ${process.execPath} did not end within 0.3 s`,
  },
  Stubborn: {
    reason: 'the plugin ignores SIGTERM, and its child process keeps the output open',
    given: shell("trap '' TERM; sleep 5; sleep 5"),
    want: 'the exec plugin /bin/sh did not end within 0.3 s',
  },
  TooMuch: {
    reason: 'the plugin prints without end',
    given: shell('yes'),
    want: 'the exec plugin /bin/sh printed more than 1 MiB',
  },
  NoStatus: {
    reason: 'the output is not an ExecCredential',
    given: shell('echo null'),
    want: 'the exec plugin /bin/sh printed no ExecCredential with a token or certificate',
  },
};

describe('an exec plugin without a credential', () => {
  it.each(Object.entries(failures))('%s', async (name, { reason, given: plugin, want }) => {
    const begun = Date.now();
    const timeoutMs = name === 'Silent' || name === 'Stubborn' ? 300 : 5_000;
    await expect(runPlugin(plugin, '/', timeoutMs), reason).rejects.toThrow(new Error(want));
    expect(Date.now() - begun, reason).toBeLessThan(20_000);
  });
});
