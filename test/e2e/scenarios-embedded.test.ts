import { runScenarios } from '../scenarios/run-scenarios.ts';

runScenarios('local');
