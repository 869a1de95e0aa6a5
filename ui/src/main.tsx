import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { show } from './app/settings';
import './style/base.css';

show();
createRoot(document.getElementById('root') as HTMLElement).render(<App />);
