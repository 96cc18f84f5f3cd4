var r=n=>{let e=t=>n.filter(o=>o.state===t);return[...e("fail"),...e("warn"),...e("info").filter(t=>t.fix.length>0)]};export{r as a};
