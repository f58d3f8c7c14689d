import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractCase } from './contract-case.ts';

interface Area {
  readonly cases: readonly ContractCase[];
}

/**
 * The contract, by area: each file in `cases/` is one and exports its `cases`. An area and a case's
 * id make the name of its namespace.
 */
export const allCases: ReadonlyMap<string, readonly ContractCase[]> = new Map(
  await Promise.all(
    (await readdir(join(import.meta.dirname, 'cases'))).sort().map(async (file) => {
      const area = file.replace(/\.ts$/, '');
      const { cases } = (await import(`./cases/${area}.ts`)) as Area;
      return [area, cases] as const;
    }),
  ),
);
