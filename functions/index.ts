import config from '../reconciler.config.ts';
import { serve } from './serve.ts';

/** Serves both functions for the kinds of this repository. */
serve(config);
