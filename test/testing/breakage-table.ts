import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPart } from '../../infra/generated-part.ts';
import { packageRoot } from '../../infra/package-root.ts';
import { expectReliable } from '../../testing/index.ts';
import { type Breach, laws } from '../../testing/law.ts';
import { type Breakage, breakages } from './breakages.ts';

/** Long enough for a busy machine. */
export const seconds = 60;

/** The broken law that was found, if any, and the time. */
export async function timeToFind({ kind, law }: Breakage): Promise<{
  readonly law?: Breach['law'];
  readonly took: number;
}> {
  const began = performance.now();
  const broken = await expectReliable(kind, { seconds: law === undefined ? 10 : seconds }).then(
    () => undefined,
    (error: Breach) => error,
  );
  if (broken !== undefined && broken.law === undefined) throw broken;
  const took = (performance.now() - began) / 1000;
  return { took, ...(broken === undefined ? {} : { law: broken.law }) };
}

/** Writes the table of docs/testing.md, with the times of one run. */
if (import.meta.main) {
  const rows: string[] = [];
  for (const one of breakages) {
    const { law, took } = await timeToFind(one);
    const found = Object.entries(laws).find(([, text]) => text === law)?.[0];
    const result = found === undefined ? 'not found | –' : `\`${found}\` | ${took.toFixed(1)}`;
    rows.push(`| ${one.title} | ${one.after} | ${result} |\n`);
    process.stderr.write(rows.at(-1) ?? '');
  }
  const file = join(packageRoot, 'docs', 'testing.md');
  const table = ['| fault | source | law | seconds |\n|---|---|---|---|\n', ...rows].join('');
  writeFileSync(file, withPart(readFileSync(file, 'utf8'), 'generate:breakages', table));
}
