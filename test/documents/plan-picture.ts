import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import stringWidth from 'string-width';
import { install } from '../../infra/generate/install.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { runAlone } from '../cli/command-runner.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { config, kinds } from '../support/config.ts';

/** `npm run screenshots:plan`: draws the terminal output of the README's plan, light and dark. */
export const imageDirectory = join(import.meta.dirname, '../../docs/images');

export const commands = [
  'kubectl scale deployment website-sample --replicas=5',
  'npm run -s reconciler -- plan',
] as const;

/** The kinds of this repository; a reader may have added another. */
const included = ['Website', 'Application', 'ContainerApp', 'Database', 'Foo'];

const width = 120;

/** Returns the commands and their coloured output, which does not depend on the time. */
async function transcript(): Promise<readonly string[]> {
  const now = () => new Date('2026-11-22T10:00:00Z');
  const home = await mkdtemp(join(tmpdir(), 'plan-picture-'));
  const cluster = await startLocalCluster({ clock: now });
  const client = createClient({ url: cluster.url });
  const env = {
    ...config.localEnvironment,
    KINDS: included.join(','),
    KUBECONFIG: join(home, 'kubeconfig'),
  };
  const run = (command: string) =>
    runAlone([command], { home, now, env, isTTY: true, columns: width });
  try {
    await writeFile(env.KUBECONFIG, cluster.kubeconfig());
    await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
      kinds: kinds.filter(({ kind }) => included.includes(kind)),
      user: 'operator',
      samples: true,
    });
    for (const _ of ['children', 'status']) {
      await run('resync');
      await cluster.controllers.settled();
    }
    await openApi(client, 'default').scale(deployment, 'website-sample', 5);
    await cluster.controllers.settled();
    const { out } = await run('plan');
    const scaled = 'deployment.apps/website-sample scaled';
    return [`$ ${commands[0]}`, scaled, `$ ${commands[1]}`, ...out.trimEnd().split('\n')];
  } finally {
    await client.close();
    await cluster.stop();
    await rm(home, { recursive: true });
  }
}

const themes = {
  light: { paper: '#ffffff', frame: '#d0d7de', ink: '#1f2328', yellow: '#7d4e00' },
  dark: { paper: '#0d1117', frame: '#30363d', ink: '#e6edf3', yellow: '#d29922' },
} as const;
type Theme = (typeof themes)[keyof typeof themes];

const [letter, line, margin] = [8, 20, 16];

/** Matches yellow text, the only colour in this plan. */
const esc = '\u001b';
const yellow = new RegExp(`${esc}\\[33m(.*?)${esc}\\[39m`, 'g');

function drawing(lines: readonly string[], { paper, frame, ink, yellow: changed }: Theme): string {
  const longest = Math.max(...lines.map((text) => stringWidth(text)));
  const [w, h] = [longest * letter + 2 * margin, lines.length * line + 2 * margin];
  const rows = lines.map((text, at) => {
    const inside = escaped(text).replaceAll(yellow, `<tspan fill="${changed}">$1</tspan>`);
    const bold = text.startsWith('$ ') ? ' font-weight="bold"' : '';
    return `<text x="${margin}" y="${margin + (at + 1) * line - 6}"${bold} xml:space="preserve">${inside}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-label="A plan in a terminal">
<rect x="0.5" y="0.5" width="${w - 1}" height="${h - 1}" rx="6" fill="${paper}" stroke="${frame}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="${ink}">
${rows.join('\n')}
</g>
</svg>
`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draws the pictures, by their file names in `docs/images/`. */
export async function planPictures(): Promise<Readonly<Record<string, string>>> {
  const lines = await transcript();
  return Object.fromEntries(
    Object.entries(themes).map(([name, theme]) => [`plan-${name}.svg`, drawing(lines, theme)]),
  );
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await planPictures()))
    await writeFile(join(imageDirectory, name), text);
