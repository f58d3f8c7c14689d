import { invalidSpecs } from '../scenarios/rows/invalid-spec.ts';
import { solo } from '../scenarios/rows/solo.ts';
import { runScenarios } from '../scenarios/run-scenarios.ts';
import { familyScenarios, scenarios } from '../scenarios/scenarios.ts';

const together = { ...scenarios, ...familyScenarios };

/** What is deployed is what is tried here; the local suite builds its own. */
runScenarios(
  'real',
  { together, alone: { ...solo, ...invalidSpecs } },
  (target) => new URL(`../../dist/${target}/index.js`, import.meta.url),
);
