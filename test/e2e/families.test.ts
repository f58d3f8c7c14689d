import { runScenarios } from '../scenarios/run-scenarios.ts';
import { familyScenarios } from '../scenarios/scenarios.ts';

/** On the embedded cluster what `npm test` leaves out; on the real one they are among the scenarios. */
runScenarios('local', { together: familyScenarios });
