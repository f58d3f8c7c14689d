import { runScenarios } from '../scenarios/run-scenarios.ts';

/** What is deployed is what is tried here; the local suite runs the sources. */
runScenarios('real', (target) => new URL(`../../dist/${target}/index.js`, import.meta.url));
