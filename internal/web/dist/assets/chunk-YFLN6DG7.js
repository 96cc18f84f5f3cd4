var o=e=>e.state==="info"&&e.required&&e.fix.length>0,r=e=>[...e.filter(t=>t.state==="fail"),...e.filter(t=>t.state==="warn"),...e.filter(o)];export{o as a,r as b};
