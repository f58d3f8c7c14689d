import config from '../reconciler.config.ts';
import { serve } from './serve.ts';

serve(config);
