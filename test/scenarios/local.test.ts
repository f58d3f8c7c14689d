import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { buildArtefact, removeArtefact } from '../build/artefact.ts';
import { invalidSpecs } from './rows/invalid-spec.ts';
import { solo } from './rows/solo.ts';
import { runScenarios } from './run-scenarios.ts';
import { scenarios } from './scenarios.ts';

/** As deployed: the sources take twice as long to start, which scenarios do some fifteen times. */
const built = { resync: '', audit: '' };
beforeAll(async () => {
  [built.resync, built.audit] = await Promise.all([
    buildArtefact('resync'),
    buildArtefact('audit'),
  ]);
});
afterAll(() => Promise.all(Object.values(built).map(removeArtefact)));

runScenarios('local', { together: scenarios, alone: { ...solo, ...invalidSpecs } }, (target) =>
  pathToFileURL(join(built[target], 'index.js')),
);
