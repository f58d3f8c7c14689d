import { invalidSpecs } from './rows/invalid-spec.ts';
import { solo } from './rows/solo.ts';
import { runScenarios } from './run-scenarios.ts';
import { scenarios } from './scenarios.ts';

runScenarios('local', { together: scenarios, alone: { ...solo, ...invalidSpecs } });
