import { expect } from 'vitest';
import { kinds } from '../../support/config.ts';
import type { Scenarios } from '../place.ts';
import { isReady } from '../resources.ts';

/** The samples of `npm start` and of the documents, on either cluster. */
export const samples: Scenarios = Object.fromEntries(
  kinds.map((kind) => [
    `C-1 the samples of ${kind.kind} become Ready, and then nothing is written`,
    async (place) => {
      for (const { name, spec } of kind.samples) await place.api.create(kind, name, { spec });
      await place.converge();
      for (const { name } of kind.samples) expect(await isReady(place, kind, name)).toBe(true);
      const writes = await place.writes();
      await place.resync();
      expect(await place.writes()).toEqual(writes);
    },
  ]),
);
