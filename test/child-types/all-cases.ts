/** Loads the cases of each built-in child type from the file that is named after it. */

import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { builtInTypes } from '../support/child-types.ts';
import type { Subject } from './cases.ts';

/** Returns the file of a type's cases in this directory: `apps/stateful-set.ts`, `core/pod.ts`. */
export const fileOf = ({ group, kind }: ChildType): string =>
  `${group === '' ? 'core' : group.replace(/[.].*/, '')}/${kebab(kind)}.ts`;

const kebab = (kind: string): string => kind.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();

const at = (file: string): string => join(import.meta.dirname, file);

const files: readonly string[] = globSync('*/*.ts', { cwd: import.meta.dirname });

/** Child types without a file of cases. */
export const typesWithoutCases = builtInTypes.filter((type) => !existsSync(at(fileOf(type))));

/** Files of cases that belong to no child type. */
export const filesWithoutType = files.filter(
  (file) => !builtInTypes.some((type) => fileOf(type) === file),
);

export const subjects: readonly Subject[] = await Promise.all(
  builtInTypes
    .filter((type) => !typesWithoutCases.includes(type))
    .map(async (type) => {
      const { cases } = (await import(at(fileOf(type)))) as { readonly cases: Subject };
      if (cases.type !== type)
        throw new Error(`${fileOf(type)} has the cases of ${groupResource(cases.type)}`);
      return cases;
    }),
);
