import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractCase } from './contract-case.ts';

interface Area {
  readonly cases: readonly ContractCase[];
}

/**
 * The contract by area. Each file in `cases/` is an area and exports its `cases`. The namespace of a case is
 * named after its area and id.
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
