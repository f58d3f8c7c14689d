import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const names =
  /goog(le|\b)|\bg(cp|cs|ke)\b|\bgs:|pub.?sub|stackdriver|cloud.?(audit|logging|run|storage|trace)|metadata.server/i;

/** Lines outside of shared/google/ that may name Google, with the reason. */
const allowed: Record<string, { readonly text: string; readonly reason: string }> = {
  'functions/response.ts': {
    text: "from '@google-cloud/functions-framework'",
    reason: 'the types of the HTTP framework, which runs on any platform',
  },
  'functions/serve.ts': {
    text: "from '@google-cloud/functions-framework'",
    reason: 'the HTTP framework, which runs on any platform',
  },
  'shared/cluster/credentials/kube-context.ts': {
    text: 'gke-gcloud-auth-plugin',
    reason: 'the remedy for a kubeconfig of a cluster on Google Cloud',
  },
  'shared/config/config.ts': { text: 'openGoogle', reason: 'chooses the platform' },
  'shared/config/variables.ts': {
    text: 'googleVariables',
    reason: 'lists the variables of every platform',
  },
};

it('the sources name Google only in shared/google/ and in the allowed lines', () => {
  const found = ['shared', 'functions']
    .flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true }).map((file) => `${directory}/${file}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.startsWith('shared/google/'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => names.test(line))
        .map((line) => ({ file, line })),
    );
  const others = found.filter(({ file, line }) => !line.includes(allowed[file]?.text ?? '\n'));
  expect(others).toEqual([]);
  expect([...new Set(found.map(({ file }) => file))].sort()).toEqual(Object.keys(allowed).sort());
});
